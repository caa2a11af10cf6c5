// Starts processes that sleep for a time that it is told until it may start no more, and goes on trying.
import { spawn } from "node:child_process"

let isTold = false
setInterval(() => {
  for (let i = 0; i < 10; i++) {
    spawn("sleep", [process.argv[2]], { detached: true, stdio: "ignore" }).on("error", (error) => {
      if (!isTold) process.stdout.write(`${error.code}\n`)
      isTold = true
    })
  }
}, 5)
