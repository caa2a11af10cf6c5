/** Two services over a primary and the standby that confirms its commits, which is promoted again and again. */
import { setTimeout } from "node:timers/promises"
import { it } from "vitest"
import { type Machine, type Pair, startPair } from "../support/replicas.ts"
import { endure, type Storage, timeoutOf } from "./run.ts"

/** How often the primary is another one. */
const failovers = Number(process.env.FAILOVERS ?? 4)

interface Replicated extends Storage {
  readonly pair: Pair
  primary: Machine
  standby: Machine
}

const start = async (): Promise<Replicated> => {
  const pair = await startPair()
  const replicated: Replicated = {
    pair,
    primary: pair.one,
    standby: pair.other,
    url: pair.url,
    rows: (statement) => replicated.primary.rows(statement),
    close: pair.close
  }
  return replicated
}

it(
  `what a standby has confirmed is not lost, through ${failovers} failovers`,
  {
    timeout: timeoutOf(failovers)
  },
  () =>
    endure({
      times: failovers,
      ways: [
        [50, "lost"],
        [25, "frozen"],
        [25, "stopped"]
      ],
      start,
      breakBy: async (way, replicated, _, chance) => {
        const { pair, primary, standby } = replicated
        if (way === "frozen") primary.freeze()
        else if (way === "lost") await primary.lose()
        else await primary.stop()
        await setTimeout(chance.below(200))
        await standby.rows("select pg_promote()")
        replicated.primary = standby
        replicated.standby = primary
        if (way === "frozen") {
          // For a moment there are two that take themselves for the primary.
          primary.thaw()
          await setTimeout(chance.below(500))
          await primary.lose()
        }
        await pair.rejoin(primary)
      },
      writers: { discussing: 12, arranging: 4 }
    })
)
