/** What operations that read pages are called with. */
import { Effect } from "effect"
import { NodeNotFound } from "../../src/domain/library/Node.ts"
import { asset } from "../support/discussion.ts"
import { etagOf, ifNoneMatch } from "../support/etags.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { page, setChildFields } from "./propertySupport.ts"

const image = "as000000000000000090"

export const readScenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  yield* asset(image)
  const published = {
    visibility: "published",
    content: "<p>Text</p>",
    url: "https://example.org/read",
    asset_ids: [image]
  }
  yield* page(odin, "Read above", published)
  const { id } = yield* page(odin, "Read", { ...published, parent: "read-above" })
  for (let n = 0; n < 3; n++) yield* page(odin, `Read below ${n}`, { ...published, parent: "read" })
  yield* setChildFields(odin, "read", [{ name: "Field", type: "number", sort: "1" }])
  yield* page(freya, "Read by none")
  const known = ifNoneMatch(yield* etagOf(guest, "/nodes/read"))
  const sorted = "/nodes/read?children_sort=-Field&page=1"
  const knownSorted = ifNoneMatch(yield* etagOf(guest, sorted))
  yield* page(odin, "Unread", { visibility: "published" })
  return [
    // Who asks; what has changed; which children; the nodes; files, their rows, links, values and fields.
    { operation: "NodeGet", call: freya.get("/nodes/unread"), expects: 200, statements: 6 },
    {
      operation: "NodeGet",
      when: "nothing of it has changed",
      call: freya.get(`/nodes/${id}`),
      expects: 200,
      statements: 2
    },
    {
      operation: "NodeGet",
      when: "not changed",
      call: guest.get("/nodes/read", known),
      expects: 304,
      statements: 2
    },
    {
      operation: "NodeGet",
      when: "with sorted children",
      call: guest.get(sorted),
      expects: 200,
      statements: 12
    },
    {
      operation: "NodeGet",
      when: "with sorted children, not changed",
      call: guest.get(sorted, knownSorted),
      expects: 304,
      statements: 3
    },
    {
      operation: "NodeGet",
      when: "unknown",
      call: guest.get("/nodes/nowhere"),
      expects: NodeNotFound,
      statements: 2
    },
    { operation: "NodeGet", when: "hidden", call: odin.get("/nodes/read-by-none"), expects: NodeNotFound },
    { operation: "NodeList", call: guest.get("/nodes"), expects: 200, statements: 9 },
    {
      operation: "NodeList",
      when: "flat, of one owner",
      call: guest.get(`/nodes?format=flat&author=odin&node_id=${id}`),
      expects: 200,
      statements: 10
    },
    {
      operation: "NodeList",
      when: "of nobody",
      call: guest.get("/nodes?author=nobody"),
      expects: 200,
      statements: 2
    },
    {
      operation: "NodeList",
      when: "of an unknown page",
      call: guest.get(`/nodes?node_id=${nobody}`),
      expects: 200
    }
  ]
})
