/** Clients of a test are of one network. With these lanes, as many of their requests run as of all networks together. */
import { Layer, Record } from "effect"
import { lanes } from "../../src/http/contract/Cost.ts"
import { Lanes } from "../../src/http/pipeline/Admission.ts"

export const ofOneClient = Layer.succeed(
  Lanes,
  Record.map(lanes, (lane) => ({ ...lane, runningPerClient: lane.running }))
)
