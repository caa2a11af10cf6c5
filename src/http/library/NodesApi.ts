import { HttpApiGroup, OpenApi } from "effect/http-api"
import { listChildren } from "./ChildEndpoints.ts"
import { getNode, listNodes } from "./NodeReadEndpoints.ts"
import { addChildNode, deleteNode, placeNode, removeChildNode } from "./NodeTreeEndpoints.ts"
import {
  addNodeAsset,
  createNode,
  removeNodeAsset,
  setNodeVisibility,
  updateNode
} from "./NodeWriteEndpoints.ts"
import { updateChildrenPropertySchema, updateProperties, updatePropertySchema } from "./PropertyEndpoints.ts"
import { suggestContent, suggestTags, suggestTitle } from "./SuggestionEndpoints.ts"
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
  .add(listNodes, getNode)
  .add(createNode, updateNode, setNodeVisibility, addNodeAsset, removeNodeAsset)
  .add(deleteNode, placeNode, addChildNode, removeChildNode)
  .add(listChildren)
  .add(updateChildrenPropertySchema, updatePropertySchema, updateProperties)
  .add(suggestTitle, suggestTags, suggestContent)
  .add(listDrafts, listVersions, createVersion, getDraft, updateDraft)
  .add(getVersion, updateVersion, deleteVersion, applyVersion)
  .prefix("/nodes")
  .annotateMerge(
    OpenApi.annotations({ title: "nodes", description: "The pages of the library, which contain each other" })
  ) {}
