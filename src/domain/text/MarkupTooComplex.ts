import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

export class MarkupTooComplex extends Problem<MarkupTooComplex>()("MarkupTooComplex", {
  status: 400,
  title: "The markup of the text is too complex",
  explanation:
    "Parsing is limited: `size` counts characters, of which there may be 655,360, `steps` the elements, attributes and words, again for each copy that HTML makes of elements which are not closed, and `depth` the open elements around one with attributes. Close elements where they end, or shorten the text.",
  metadata: { limit: Schema.Literals(["size", "steps", "depth"]), maximum: Schema.Int }
}) {}
