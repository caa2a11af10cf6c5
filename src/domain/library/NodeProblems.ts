/** Why nodes cannot be made, changed or placed as asked. */
import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"
import { Visibility } from "../shared/Visibility.ts"
import { assetsMax, childrenMovedMax, levelsMax, valuesMovedMax } from "./LibraryLimits.ts"

export class NodeSlugEmpty extends Problem<NodeSlugEmpty>()("NodeSlugEmpty", {
  status: 400,
  title: "No slug can be made from this name",
  explanation:
    "A slug consists of letters and digits, and the name has none. Send a `slug` with the page, or another name.",
  metadata: { name: Schema.String }
}) {}

export class TooManyNodeAssets extends Problem<TooManyNodeAssets>()("TooManyNodeAssets", {
  status: 409,
  title: "This page would have too many files",
  explanation: `A page has at most ${assetsMax} files.`,
  metadata: { maximum: Schema.Int }
}) {}

export class NodeTooDeep extends Problem<NodeTooDeep>()("NodeTooDeep", {
  status: 400,
  title: "Pages would contain each other too deeply",
  explanation: `The library has at most ${levelsMax} levels of pages. What a page contains moves with it.`,
  metadata: { maximum: Schema.Int }
}) {}

export class NodeInItself extends Problem<NodeInItself>()("NodeInItself", {
  status: 400,
  title: "A page cannot contain itself",
  explanation:
    "The page would be in itself, or in a page that it contains. Only a page that is directly in it can take its place, by the operations that move pages: that one is moved to the top level first."
}) {}

export class NodeVisibilitiesDiffer extends Problem<NodeVisibilitiesDiffer>()("NodeVisibilitiesDiffer", {
  status: 400,
  title: "A page with this visibility is not moved into that page",
  explanation:
    "A draft is moved into a draft, a page in review or a published page; an unlisted page into an unlisted one; a page in review into one in review or a published one; a published page into a published one.",
  metadata: { parent: Visibility, child: Visibility }
}) {}

/** What a place for a node can break. */
export const placementRules = ["both", "itself", "sibling"] as const
export type PlacementRule = (typeof placementRules)[number]

export class NodePlacementInvalid extends Problem<NodePlacementInvalid>()("NodePlacementInvalid", {
  status: 400,
  title: "The page cannot be placed there",
  explanation:
    "Either `before` or `after` is given, not both (`both`). The page that it names is another one (`itself`) and in the same parent, after the move (`sibling`).",
  metadata: { rule: Schema.Literals(placementRules) }
}) {}

export class AssetSourceFailed extends Problem<AssetSourceFailed>()("AssetSourceFailed", {
  status: 400,
  title: "A file could not be fetched",
  explanation:
    "An address in `asset_sources` is not one that the service fetches (`refused`: another scheme than http and https, or a host that is not on the public internet), nothing answered there in time (`name`, `connection`, `time`), it redirects too often (`redirects`), answered with another status than success (`status`), compressed in another way than asked for (`encoding`), or with a file larger than 8 MiB (`size`). Nothing of the request was kept.",
  metadata: {
    url: Schema.String,
    reason: Schema.Literals([
      "refused",
      "name",
      "connection",
      "time",
      "redirects",
      "size",
      "encoding",
      "status"
    ])
  }
}) {}

export class TooManyChildren extends Problem<TooManyChildren>()("TooManyChildren", {
  status: 409,
  title: "The page contains too many pages to delete it at once",
  explanation: `The pages that it contains would all move. Of these there may be ${childrenMovedMax.toLocaleString("en")}, and where they go to the top level, ${valuesMovedMax.toLocaleString("en")} values of their properties; move some of them first, or name a \`target_node\`.`,
  metadata: { maximum: Schema.Int }
}) {}

export class NodeNotYours extends Problem<NodeNotYours>()("NodeNotYours", {
  status: 403,
  title: "Only its owner and the managers of the library may change this page",
  explanation: "The page belongs to another account, and the caller's roles do not hold MANAGE_LIBRARY."
}) {}
