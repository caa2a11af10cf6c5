/** Clients of a test are of one network. With these lanes, as many of their requests run as of all networks together. */
import { Layer, Record } from "effect"
import { Lanes } from "../../src/http/shared/Admission.ts"
import { lanes } from "../../src/http/shared/Cost.ts"

export const ofOneClient = Layer.succeed(
  Lanes,
  Record.map(lanes, (lane) => ({ ...lane, runningPerClient: lane.running }))
)
