// A plugin that notes what happens to it, with a name of its process and the time.
import { randomUUID } from "node:crypto"
import { appendFileSync } from "node:fs"

const run = randomUUID()
const note = (what) => appendFileSync("notes.jsonl", `${JSON.stringify({ run, at: Date.now(), ...what })}\n`)

note({ what: "runs" })
setInterval(() => note({ what: "runs" }), 50)

const socket = new WebSocket(process.env.FORUM_RPC_URL)
const send = (frame) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...frame }))
socket.onopen = () => send({ id: "first", method: "get_config" })
socket.onclose = () => process.exit(0)
socket.onmessage = ({ data }) => {
  const { id, method, params } = JSON.parse(data)
  if (method === undefined) return note({ what: "connected" })
  if (method === "event") note({ what: "told", id: params.id })
  send({ id, result: { method, ok: true } })
}

process.on("SIGINT", () => process.exit(0))
