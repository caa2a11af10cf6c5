/** Looks into a service in its own process, by the inspector of Node. */
import type { Service } from "../support/child.ts"
import { wait } from "./clients.ts"

/** The flag of Node with which a service can be looked into, on any free port. */
export const inspectable = "--inspect-port=0"

const megabyte = 1024 * 1024

/** The address of the inspector, which a signal starts. */
const inspectorOf = async ({ errors, process }: Service): Promise<string> => {
  process.kill("SIGUSR1")
  for (;;) {
    const address = /Debugger listening on (ws:\S+)/.exec(errors())?.[1]
    if (address !== undefined) return address
    await wait(50)
  }
}

/** Sends these commands one after the other, and answers the answer to the last. */
const ask = (
  address: string,
  commands: ReadonlyArray<{ readonly method: string; readonly params?: object }>
) =>
  new Promise<string>((resolve, reject) => {
    const socket = new WebSocket(address)
    const send = (id: number) => socket.send(JSON.stringify({ id, ...commands[id] }))
    socket.onerror = () => reject(new Error("The inspector cannot be asked"))
    socket.onopen = () => send(0)
    socket.onmessage = ({ data }) => {
      const { id } = JSON.parse(String(data))
      if (id === undefined) return
      if (id + 1 < commands.length) return send(id + 1)
      socket.close()
      resolve(String(data))
    }
  })

/** What is left in use when all garbage is collected, in megabytes: on the heap and beside it. */
export const inUse = async (service: Service): Promise<number> => {
  const expression = "(({ external, heapUsed }) => external + heapUsed)(process.memoryUsage())"
  const answer = await ask(await inspectorOf(service), [
    { method: "HeapProfiler.collectGarbage" },
    { method: "Runtime.evaluate", params: { expression } }
  ])
  return JSON.parse(answer).result.result.value / megabyte
}
