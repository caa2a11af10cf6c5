import { HttpApiMiddleware } from "effect/http-api"
import { PluginsDisabled } from "../../domain/plugin/PluginRefusal.ts"

/** Marks operations on plugins: where they are switched off it refuses every request, before it is known who asks for what. */
export class PluginOperation extends HttpApiMiddleware.Service<PluginOperation>()(
  "forum/http/PluginOperation",
  { error: [PluginsDisabled] as const }
) {}
