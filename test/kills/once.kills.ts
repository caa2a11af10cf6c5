/** Two services over one PostgreSQL, all of which are killed at any moment. */
import { it } from "vitest"
import { startCluster } from "./cluster.ts"
import { endure, timeoutOf } from "./run.ts"

/** How often something is killed. */
const kills = Number(process.env.KILLS ?? 20)

it(
  `nothing is lost and nothing is done twice, through ${kills} kills`,
  {
    timeout: timeoutOf(kills)
  },
  () =>
    endure({
      times: kills,
      ways: [
        [50, "a service"],
        [8, "both services"],
        [14, "the server of PostgreSQL"],
        [14, "PostgreSQL at once"],
        [14, "a connection of PostgreSQL"]
      ],
      start: startCluster,
      breakBy: async (way, cluster, instances, chance) => {
        if (way === "a service") await chance.of(instances)?.kill()
        else if (way === "both services") await Promise.all(instances.map(({ kill }) => kill()))
        else if (way === "the server of PostgreSQL") await cluster.killServer()
        else if (way === "PostgreSQL at once") await cluster.stopAtOnce()
        else cluster.killConnection(chance)
      },
      writers: { discussing: 40, arranging: 10 }
    })
)
