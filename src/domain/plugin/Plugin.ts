/** Plugins as administrators see them, and what is refused. */
import { Schema } from "effect"
import { Problem } from "../shared/Problem.ts"

/** How many plugins of each mode an instance has. The database holds it, too. */
export const pluginsMax = 50

export class TooManyPlugins extends Problem<TooManyPlugins>()("TooManyPlugins", {
  status: 409,
  title: "The instance has as many plugins as it may",
  explanation:
    "An instance has at most `maximum` supervised and as many external plugins. Delete one to add another.",
  metadata: { maximum: Schema.Int }
}) {}
