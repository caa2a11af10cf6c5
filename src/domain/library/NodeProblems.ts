/** Why pages cannot be made, changed or placed as asked. */
import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"
import { assetsMax, levelsMax } from "./LibraryLimits.ts"

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
