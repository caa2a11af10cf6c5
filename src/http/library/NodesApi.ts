import { HttpApiGroup, OpenApi } from "effect/http-api"
import { listChildren } from "./ChildEndpoints.ts"
import { createNode } from "./NodeWriteEndpoints.ts"
import { updateChildrenPropertySchema, updateProperties, updatePropertySchema } from "./PropertyEndpoints.ts"

export class NodesApi extends HttpApiGroup.make("nodes")
  .add(createNode)
  .add(listChildren)
  .add(updateChildrenPropertySchema, updatePropertySchema, updateProperties)
  .prefix("/nodes")
  .annotateMerge(
    OpenApi.annotations({ title: "nodes", description: "The pages of the library, which contain each other" })
  ) {}
