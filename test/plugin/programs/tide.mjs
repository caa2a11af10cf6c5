// A plugin as somebody would write one without a library. What it is called with says how it behaves.
const [behaviour] = process.argv.slice(2)

if (behaviour === "tells") process.stdout.write(`${process.env.FORUM_RPC_URL}\n`)
if (behaviour === "tells" || behaviour === "exits") process.exit(42)

const socket = new WebSocket(process.env.FORUM_RPC_URL)

socket.onopen = () => process.stdout.write("connected\n")
socket.onclose = () => process.exit(0)
socket.onmessage = ({ data }) => {
  const { id, method, params } = JSON.parse(data)
  if (method === undefined) return
  process.stdout.write(`asked for ${method}\n`)
  if (method === "event" && behaviour === "crashes") process.exit(7)
  if (method === "configure" && params.crash === true) process.exit(0)
  socket.send(JSON.stringify({ jsonrpc: "2.0", id, result: { method, ok: true } }))
}

process.on("SIGINT", () => process.exit(0))
