/** Operations on the properties of pages, and on the fields that siblings share. */
import { HttpApiEndpoint } from "effect/http-api"
import { NodeDraftExists, NodeNotFound, NodeNotYours } from "../../domain/library/Node.ts"
import {
  PropertyChanges,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyListResult,
  PropertyNameTaken,
  PropertySchemaChanges,
  PropertySchemaListResult
} from "../../domain/library/Property.ts"
import { accounts } from "../shared/Access.ts"
import { operation } from "../shared/Operation.ts"
import { nodeParams, propertyProblems } from "./NodeEndpointParts.ts"

const schemaProblems = [PropertyFieldTwice, PropertyFieldUnknown, PropertyNameTaken] as const

const who = "The owner of the page may, and who holds MANAGE_LIBRARY."
const all = "The list is all fields: others are deleted with their values."

export const updateChildrenPropertySchema = HttpApiEndpoint.patch(
  "updateChildrenPropertySchema",
  "/:node_slug/children/property-schema",
  {
    params: nodeParams,
    payload: PropertySchemaChanges,
    success: PropertySchemaListResult,
    error: [NodeNotFound, NodeNotYours, ...schemaProblems]
  }
).pipe(
  operation({
    id: "NodeUpdateChildrenPropertySchema",
    cost: "write",
    summary: "Set the property fields of the children of a page",
    description: `${all} A page without children has none, whatever is sent. ${who}`,
    access: accounts
  })
)

export const updatePropertySchema = HttpApiEndpoint.patch(
  "updatePropertySchema",
  "/:node_slug/property-schema",
  {
    params: nodeParams,
    payload: PropertySchemaChanges,
    success: PropertySchemaListResult,
    error: [NodeNotFound, NodeNotYours, NodeDraftExists, ...schemaProblems]
  }
).pipe(
  operation({
    id: "NodeUpdatePropertySchema",
    cost: "write",
    summary: "Set the property fields that a page shares with its siblings",
    description: `${all} Pages at the top level are siblings of each other. ${who}`,
    access: accounts
  })
)

export const updateProperties = HttpApiEndpoint.patch("updateProperties", "/:node_slug/properties", {
  params: nodeParams,
  payload: PropertyChanges,
  success: PropertyListResult,
  error: [NodeNotFound, NodeNotYours, NodeDraftExists, ...propertyProblems]
}).pipe(
  operation({
    id: "NodeUpdateProperties",
    cost: "write",
    summary: "Set the properties of a page",
    description: `An entry with \`fid\` sets a value, and changes the field if it says so; one without creates a field for the page and its siblings. Fields that are left out are deleted, with the values that siblings have for them. ${who}`,
    access: accounts
  })
)
