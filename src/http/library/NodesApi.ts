import { HttpApiGroup, OpenApi } from "effect/http-api"
import { getNode, listNodes } from "./NodeReadEndpoints.ts"
import { createNode } from "./NodeWriteEndpoints.ts"

export class NodesApi extends HttpApiGroup.make("nodes")
  .add(listNodes, getNode)
  .add(createNode)
  .prefix("/nodes")
  .annotateMerge(
    OpenApi.annotations({ title: "nodes", description: "The pages of the library, which contain each other" })
  ) {}
