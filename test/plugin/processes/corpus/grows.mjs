// Takes more and more memory, by itself or in several processes together. What it is told beside that marks its processes.
import { fork } from "node:child_process"

const [kind, mark] = process.argv.slice(2)
const held = []
const grow = () => {
  held.push(Buffer.alloc(4 * 1024 * 1024, 1))
}
const processes = Number(kind)
if (processes > 0)
  for (let i = 0; i < processes; i++) fork(import.meta.filename, ["0", mark], { stdio: "inherit" })
process.stdout.write("started\n")
const most = kind === "0" ? 40 : 1e9
// What is beyond the limit comes slowly: the system ends a process that has grown far beyond it, before the service looks.
const quick = 70
setInterval(() => held.length < quick && held.length < most && grow(), 10)
setInterval(() => held.length >= quick && held.length < most && grow(), 100)
