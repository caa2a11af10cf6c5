import { Effect } from "effect"
import { NodeDraftExists, NodeNotFound } from "../../src/domain/library/Node.ts"
import { NodeNotYours } from "../../src/domain/library/NodeProblems.ts"
import {
  PropertyFieldIdMissing,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyNameTaken,
  PropertyTypeMissing
} from "../../src/domain/library/Property.ts"
import { Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { draft, page, propertiesOf, setChildFields, setFields, setProperties } from "./propertySupport.ts"

export const propertyScenarios: Scenarios = Effect.gen(function* () {
  const { freya, loki, odin } = yield* Cast
  yield* page(odin, "Properties", { visibility: "published" })
  const parent = "properties"
  for (const name of ["Granite", "Marble"]) {
    yield* page(odin, name, { parent, visibility: "published", tags: ["stone"] })
  }
  yield* page(freya, "Freya's stone", { parent })
  yield* draft(yield* page(odin, "Drafted stone", { parent }), odin)
  const weight = { name: "Weight", type: "number", sort: "1" }
  const colour = { name: "Colour", type: "text", sort: "2" }
  const fields = propertiesOf(yield* setChildFields(odin, parent, [weight, colour]))
  const [first, second] = fields.map(({ fid }) => ({ fid, name: "", value: "1" }))
  propertiesOf(yield* setProperties(odin, "granite", [first, second]))
  const list = (query: string) => guest.get(`/nodes/properties/children${query}`)
  return [
    // With people and tags that are read once.
    { operation: "NodeListChildren", call: list(""), expects: 200 },
    { operation: "NodeListChildren", when: "again", call: list(""), expects: 200, statements: 6 },
    {
      operation: "NodeListChildren",
      when: "sorted by a property",
      call: list("?children_sort=-Weight"),
      expects: 200,
      statements: 7
    },
    {
      operation: "NodeListChildren",
      when: "searched",
      call: list("?q=gran&tags=stone&children_sort=name"),
      expects: 200,
      statements: 6
    },
    {
      operation: "NodeListChildren",
      when: "unknown",
      call: guest.get("/nodes/nope/children"),
      expects: NodeNotFound
    },
    {
      operation: "NodeListChildren",
      when: "with a search that is too long",
      call: list(`?q=${"x".repeat(256)}`),
      expects: InvalidRequest
    },
    {
      operation: "NodeUpdateProperties",
      call: setProperties(odin, "marble", [
        first,
        { ...second, sort: "9" },
        { ...weight, name: "New", value: "" }
      ]),
      expects: 200,
      statements: 13
    },
    {
      operation: "NodeUpdateProperties",
      when: "with the same again",
      call: setProperties(
        odin,
        "granite",
        fields.map(({ fid }) => ({ fid, name: "", value: "2" }))
      ),
      expects: 200,
      statements: 13
    },
    ...(
      [
        [
          "without the type of a new field",
          [first, second, { name: "Other", value: "" }],
          PropertyTypeMissing
        ],
        ["without the id of a field", [first, { ...colour, value: "" }], PropertyFieldIdMissing],
        ["with an unknown field", [{ ...first, fid: nobody }], PropertyFieldUnknown],
        ["with a field twice", [first, first], PropertyFieldTwice],
        ["with a name twice", [first, { ...second, name: "Weight" }], PropertyNameTaken]
      ] as const
    ).map(([when, properties, expects]) => ({
      operation: "NodeUpdateProperties",
      when,
      call: setProperties(odin, "granite", properties),
      expects
    })),
    {
      operation: "NodeUpdateProperties",
      when: "with a draft",
      call: setProperties(odin, "drafted-stone", []),
      expects: NodeDraftExists
    },
    {
      operation: "NodeUpdateProperties",
      when: "by a stranger",
      call: setProperties(loki, "granite", []),
      expects: NodeNotYours,
      statements: 2
    },
    {
      operation: "NodeUpdateProperties",
      when: "by a guest",
      call: setProperties(guest, "granite", []),
      expects: Unauthenticated
    },
    {
      operation: "NodeUpdateProperties",
      when: "unknown",
      call: setProperties(odin, "nope", []),
      expects: NodeNotFound
    },
    {
      operation: "NodeUpdatePropertySchema",
      call: setFields(odin, "marble", [...fields, { ...weight, name: "Mass" }]),
      expects: 200,
      statements: 12
    },
    {
      operation: "NodeUpdatePropertySchema",
      when: "with a draft",
      call: setFields(odin, "drafted-stone", []),
      expects: NodeDraftExists
    },
    {
      operation: "NodeUpdatePropertySchema",
      when: "by a stranger",
      call: setFields(loki, "granite", []),
      expects: NodeNotYours
    },
    {
      operation: "NodeUpdatePropertySchema",
      when: "with a name twice",
      call: setFields(odin, "granite", [weight, weight]),
      expects: PropertyNameTaken
    },
    {
      operation: "NodeUpdateChildrenPropertySchema",
      call: setChildFields(odin, parent, [fields[0], { ...weight, name: "Size" }]),
      expects: 200,
      statements: 13
    },
    {
      operation: "NodeUpdateChildrenPropertySchema",
      when: "without children",
      call: setChildFields(odin, "marble", [weight]),
      expects: 200,
      statements: 6
    },
    {
      operation: "NodeUpdateChildrenPropertySchema",
      when: "by a stranger",
      call: setChildFields(loki, parent, []),
      expects: NodeNotYours
    },
    {
      operation: "NodeUpdateChildrenPropertySchema",
      when: "with an unknown field",
      call: setChildFields(odin, parent, [{ ...weight, fid: nobody }]),
      expects: PropertyFieldUnknown
    }
  ]
})
