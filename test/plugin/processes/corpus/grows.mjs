// Takes more and more memory, by itself or in several processes together.
import { fork } from "node:child_process"

const held = []
const grow = () => {
  held.push(Buffer.alloc(4 * 1024 * 1024, 1))
}
const processes = Number(process.argv[2])
if (processes > 0) for (let i = 0; i < processes; i++) fork(import.meta.filename, ["0"], { stdio: "inherit" })
process.stdout.write("started\n")
const most = process.argv[2] === "0" ? 40 : 1e9
setInterval(() => held.length < most && grow(), 10)
