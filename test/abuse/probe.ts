/**
 * Somebody who reads a thread every 50 milliseconds, in a process of its own, from "begin" to "end". Then tells how
 * long each answer took, in milliseconds, and what was wrong with the others.
 */
import { Agent, get } from "node:http"

const address = process.argv[2] ?? ""

const startReading = () => {
  // Another address of this machine: another client than the attackers.
  const agent = new Agent({ keepAlive: true, localAddress: "127.0.0.2" })
  const latencies: Array<number> = []
  const failures: Array<string> = []
  let open = 0

  const read = () => {
    const start = performance.now()
    open += 1
    const done = (failure?: string) => {
      open -= 1
      if (failure === undefined) latencies.push(performance.now() - start)
      else failures.push(failure)
    }
    get(address, { agent, timeout: 10_000 }, (response) => {
      response.resume()
      response.on("end", () =>
        done(response.statusCode === 200 ? undefined : `status ${response.statusCode}`)
      )
    })
      .on("timeout", function (this: { readonly destroy: (error: Error) => void }) {
        this.destroy(new Error("no answer in 10 seconds"))
      })
      .on("error", (error) => done(error.message))
  }

  const reading = setInterval(read, 50)

  return () => {
    clearInterval(reading)
    const finish = () => {
      if (open > 0) return
      clearInterval(waiting)
      agent.destroy()
      process.send?.({ latencies, failures })
    }
    const waiting = setInterval(finish, 10)
  }
}

let stop = () => {}

process.on("message", (message) => {
  if (message === "begin") stop = startReading()
  else stop()
})
