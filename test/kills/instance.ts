/** A service that is killed at any moment, and started again by whoever watches it. */
import { setTimeout } from "node:timers/promises"
import { type Service, startFlags, startService } from "../support/child.ts"

export interface Instance {
  /** Where it listens; undefined while it does not. */
  readonly port: () => number | undefined
  readonly kill: () => Promise<void>
  /** What it said when it ended without being killed, although it had served. One that finds no database does not start. */
  readonly ends: ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

/** How long whoever watches it waits before it is started again, in milliseconds. */
const pause = 200

export const startInstance = (settings: Readonly<Record<string, string>>): Instance => {
  const ends: Array<string> = []
  const killed = new Set<Service>()
  let running: Service
  let port: number | undefined
  let isOver = false

  const start = () => {
    const service = startService(settings, startFlags)
    running = service
    let hasServed = false
    service.listening().then(
      (found) => {
        hasServed = true
        if (running === service) port = found
      },
      () => {}
    )
    service.exited.then(async (code) => {
      port = undefined
      if (!killed.has(service) && !isOver) {
        if (hasServed) ends.push(`${code}: ${service.errors()}${service.lines.slice(-3).join("\n")}`)
        await setTimeout(pause)
      }
      if (!isOver) start()
    })
  }
  start()

  return {
    port: () => port,
    kill: async () => {
      const service = running
      killed.add(service)
      service.process.kill("SIGKILL")
      await service.exited
    },
    ends,
    stop: async () => {
      isOver = true
      running.process.kill("SIGTERM")
      await running.exited
    }
  }
}
