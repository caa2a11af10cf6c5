/** Operations on the properties of nodes, and on the fields that siblings share. */
import { HttpApiEndpoint } from "effect/http-api"
import { NodeDraftExists, NodeNotFound } from "../../domain/library/Node.ts"
import { NodeNotYours } from "../../domain/library/NodeProblems.ts"
import {
  PropertyChanges,
  PropertyFieldsNotYours,
  PropertyFieldTwice,
  PropertyFieldUnknown,
  PropertyListResult,
  PropertyNameTaken,
  PropertySchemaChanges,
  PropertySchemaListResult,
  TooManyPropertyFields
} from "../../domain/library/Property.ts"
import { accounts } from "../contract/AccessPolicies.ts"
import { operation } from "../contract/Operation.ts"
import { nodeParams, propertyProblems } from "./NodeEndpointParts.ts"

const schemaProblems = [PropertyFieldTwice, PropertyFieldUnknown, PropertyNameTaken] as const

/** The problems of changes by accounts that may not own all nodes whose fields are shared. */
const groupProblems = [PropertyFieldsNotYours, TooManyPropertyFields] as const

const who = "The owner of the page may, and who holds MANAGE_LIBRARY."
const all = "The list is all fields: others are deleted with their values, which the audit log tells of."

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
    error: [NodeNotFound, NodeNotYours, NodeDraftExists, ...groupProblems, ...schemaProblems]
  }
).pipe(
  operation({
    id: "NodeUpdatePropertySchema",
    cost: "write",
    summary: "Set the property fields that a page shares with its siblings",
    description: `${all} They are those of all children of the page that contains this one, and belong to its owner: who does not own that page, nor holds MANAGE_LIBRARY, only adds fields. A page at the top level has fields of its own. ${who}`,
    access: accounts,
    tools: [
      { name: "library_page_property_schema_update", body: "fields", isDestructive: true, isIdempotent: true }
    ]
  })
)

export const updateProperties = HttpApiEndpoint.patch("updateProperties", "/:node_slug/properties", {
  params: nodeParams,
  payload: PropertyChanges,
  success: PropertyListResult,
  error: [NodeNotFound, NodeNotYours, NodeDraftExists, ...groupProblems, ...propertyProblems]
}).pipe(
  operation({
    id: "NodeUpdateProperties",
    cost: "write",
    summary: "Set the properties of a page",
    description: `An entry with \`fid\` sets a value; one without creates a field for the page and its siblings. The page loses its values for fields that are left out. By the owner of the page that contains this one, the managers of the library, and the owner of a page at the top level, fields are changed as the list says, and deleted with the values of all pages where it leaves them out. For others they stay as they are. ${who}`,
    access: accounts,
    tools: [{ name: "library_page_properties_update", isDestructive: true, isIdempotent: true }]
  })
)
