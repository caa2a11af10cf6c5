/** What must not compile. Each comment fails the type check once its line compiles. */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { anyone, readersWith } from "../../src/http/contract/AccessPolicies.ts"
import { declared, operation } from "../../src/http/contract/Operation.ts"
import { PluginOperation } from "../../src/http/contract/PluginOperation.ts"

const texts = { summary: "Read", description: "Reads." }

const complete = HttpApiEndpoint.get("complete", "/complete").pipe(
  operation({ id: "Complete", ...texts, cost: "quick", access: anyone })
)
const incomplete = HttpApiEndpoint.get("incomplete", "/incomplete")

class Good extends HttpApiGroup.make("good").add(complete) {}
class Bad extends HttpApiGroup.make("bad").add(complete, incomplete) {}
class Worse extends HttpApiGroup.make("worse").add(incomplete).middleware(PluginOperation) {}

export const good = () => declared(Good)

export const mistakes = () => {
  // @ts-expect-error An endpoint of the group does not declare its operation.
  declared(Bad)
  // @ts-expect-error The same beside a group that is complete.
  declared(Good, Bad)
  // @ts-expect-error What is checked for a group does not say who may call its endpoints.
  declared(Worse)
  // @ts-expect-error An operation says who may call it.
  operation({ id: "Open", ...texts, cost: "quick" })
  // @ts-expect-error An operation says what it costs.
  operation({ id: "Free", ...texts, access: anyone })
  // @ts-expect-error There is no such permission.
  operation({ id: "Made", ...texts, cost: "quick", access: readersWith("MADE_UP") })
}
