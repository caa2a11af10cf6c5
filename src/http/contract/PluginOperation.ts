import { HttpApiMiddleware } from "effect/http-api"
import { PluginsDisabled } from "../../domain/plugin/PluginRefusal.ts"

/** Marks an operation on plugins: where they are switched off it refuses every request, before parameters and body are read. */
export class PluginOperation extends HttpApiMiddleware.Service<PluginOperation>()(
  "forum/http/PluginOperation",
  { error: [PluginsDisabled] as const }
) {}
