import { Effect } from "effect"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { ThemeAssetsUnknown, ThemeAssetsUnsuitable } from "../../src/domain/theme/Theme.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { setTheme, themeFile } from "./support.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const css = yield* themeFile(freya, "a.css", "a { color: red }")
  const js = yield* themeFile(freya, "a.js", "void 0")
  yield* setTheme(odin, [css.id])
  const { headers } = yield* guest.get("/info/theme")
  const known = { headers: { "if-none-match": String(headers.etag) } }
  const put = (stylesheets: unknown, scripts: unknown) => odin.put("/admin/theme", { stylesheets, scripts })
  return [
    { operation: "ThemeGet", call: guest.get("/info/theme"), expects: 200, statements: 2 },
    {
      operation: "ThemeGet",
      when: "not changed",
      call: guest.get("/info/theme", known),
      expects: 304,
      statements: 2
    },
    { operation: "AdminThemeGet", call: odin.get("/admin/theme"), expects: 200, statements: 3 },
    {
      operation: "AdminThemeGet",
      when: "by a guest",
      call: guest.get("/admin/theme"),
      expects: Unauthenticated
    },
    { operation: "AdminThemeGet", when: "by a member", call: freya.get("/admin/theme"), expects: Forbidden },
    { operation: "AdminThemeUpdate", call: put([css.id], [js.id]), expects: 200, statements: 6 },
    {
      operation: "AdminThemeUpdate",
      when: "of nothing",
      call: put([], []),
      expects: 200,
      statements: 5
    },
    {
      operation: "AdminThemeUpdate",
      when: "of files that there are not",
      call: put([nobody, "a.css"], []),
      expects: ThemeAssetsUnknown
    },
    {
      operation: "AdminThemeUpdate",
      when: "of files in the wrong list",
      call: put([js.id], []),
      expects: ThemeAssetsUnsuitable
    },
    { operation: "AdminThemeUpdate", when: "of one list", call: put([], undefined), expects: InvalidRequest }
  ]
})
