import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

export class AssetUnknown extends Problem<AssetUnknown>()("AssetUnknown", {
  status: 400,
  title: "The asset does not exist",
  explanation: "A body field names an uploaded file by an id that no file has.",
  metadata: { field: Schema.String, id: Schema.String }
}) {}
