import { HttpApiGroup, OpenApi } from "effect/http-api"
import { createNode } from "./NodeWriteEndpoints.ts"
import {
  applyVersion,
  createVersion,
  deleteVersion,
  getDraft,
  getVersion,
  listDrafts,
  listVersions,
  updateDraft,
  updateVersion
} from "./VersionEndpoints.ts"

export class NodesApi extends HttpApiGroup.make("nodes")
  .add(createNode)
  .add(
    listDrafts,
    listVersions,
    createVersion,
    getDraft,
    updateDraft,
    getVersion,
    updateVersion,
    deleteVersion,
    applyVersion
  )
  .prefix("/nodes")
  .annotateMerge(
    OpenApi.annotations({ title: "nodes", description: "The pages of the library, which contain each other" })
  ) {}
