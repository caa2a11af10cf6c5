import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { AssetBytesUnavailable } from "../../domain/asset/Asset.ts"
import { Theme, ThemeAssetsUnknown, ThemeAssetsUnsuitable, ThemeChange } from "../../domain/theme/Theme.ts"
import { everyone, membersWith } from "../contract/AccessPolicies.ts"
import { conditional, conditionalHeaders } from "../contract/Conditional.ts"
import { operation } from "../contract/Operation.ts"

export class ThemeApi extends HttpApiGroup.make("theme")
  .add(
    HttpApiEndpoint.get("read", "/info/theme", {
      headers: conditionalHeaders,
      success: conditional(Theme)
    }).pipe(
      operation({
        id: "ThemeGet",
        cost: "quick",
        summary: "Read the theme of the instance",
        description:
          "What pages load besides their own files, each in its order. Another file has another path, so that a page that is open keeps what it has loaded.",
        access: everyone
      })
    ),
    HttpApiEndpoint.get("get", "/admin/theme", { success: Theme }).pipe(
      operation({
        id: "AdminThemeGet",
        cost: "quick",
        summary: "Read the theme to change it",
        description: "The same as everyone reads.",
        access: membersWith("MANAGE_SETTINGS")
      })
    ),
    HttpApiEndpoint.put("replace", "/admin/theme", {
      payload: ThemeChange,
      success: Theme,
      error: [ThemeAssetsUnknown, ThemeAssetsUnsuitable, AssetBytesUnavailable]
    }).pipe(
      operation({
        id: "AdminThemeUpdate",
        cost: "write",
        summary: "Replace the theme",
        description:
          "Upload the files first. All of the theme is replaced at once, on all instances; of several requests at the same time the last one counts, never a part of each. Scripts of a theme do in every visitor's browser whatever the frontend may do there.",
        access: membersWith("MANAGE_SETTINGS")
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "theme",
      description: "Stylesheets and scripts that the instance adds to its pages"
    })
  ) {}
