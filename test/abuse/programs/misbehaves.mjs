// A plugin that connects and then takes what it can get. What it is called with says what that is.
import { spawn } from "node:child_process"
import { openSync, writeFileSync, writeSync } from "node:fs"

const [behaviour] = process.argv.slice(2)

if (behaviour === "exits at once") process.exit(1)

const again = (one) => {
  const loop = () => {
    for (let n = 0; n < 20; n++) one()
    setTimeout(loop, 1)
  }
  loop()
}

let number = 0
const held = []
const bytes = Buffer.alloc(1024 * 1024, "a line of some words\n")
const ignoring = (one) => () => {
  try {
    one()
  } catch {
    // It may take no more, and goes on trying.
  }
}

const behaviours = {
  forks: () =>
    again(() => spawn("sleep", ["2000"], { detached: true, stdio: "ignore" }).on("error", () => {})),
  grows: () => again(() => held.push(Buffer.alloc(1024 * 1024, 1))),
  fills: () => again(ignoring(() => writeFileSync(`file-${number++}`, bytes))),
  writes: () => again(ignoring(() => writeSync(1, bytes))),
  opens: () => again(ignoring(() => openSync("/dev/null", "r"))),
  leaves: () => process.exit(0),
  asks: () => again(() => send({ id: `${number++}`, method: "access_get" }))
}

const socket = new WebSocket(process.env.FORUM_RPC_URL)
const send = (frame) => socket.send(JSON.stringify({ jsonrpc: "2.0", ...frame }))

socket.onopen = () => {
  if (behaviour === "exits when it is connected") process.exit(2)
  process.stdout.write("connected\n")
  setTimeout(() => behaviours[behaviour]?.(), 100)
}
socket.onmessage = ({ data }) => {
  const { id, method } = JSON.parse(data)
  if (behaviour === "exits when it is told of something") process.exit(3)
  if (method !== undefined) send({ id, result: { method, ok: true } })
}
