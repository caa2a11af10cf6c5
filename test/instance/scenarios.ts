import { Effect } from "effect"
import { ImageTooLarge, NotAnImage } from "../../src/domain/asset/ImageRefusal.ts"
import { Forbidden, Unauthenticated } from "../../src/domain/shared/Actor.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { ProblemUnknown } from "../../src/http/instance/InstanceApi.ts"
import { bytesOf, png } from "../support/files.ts"
import { Cast, guest } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"
import { drawing } from "./support.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const image = yield* drawing(60, 40)
  const known = (path: string) =>
    Effect.map(guest.get(path), ({ headers: { etag = "" } }) => ({ headers: { "if-none-match": etag } }))
  const [icon, banner] = [yield* known("/info/icon/32x32"), yield* known("/info/banner")]
  const [spec, docs] = [yield* known("/openapi.json"), yield* known("/docs")]
  return [
    { operation: "GetVersion", call: guest.get("/version"), expects: 200, statements: 0 },
    { operation: "GetInfo", call: guest.get("/info"), expects: 200, statements: 1 },
    { operation: "GetSession", when: "by a guest", call: guest.get("/session"), expects: 200, statements: 2 },
    {
      operation: "GetSession",
      when: "by an account",
      call: freya.get("/session"),
      expects: 200,
      statements: 5
    },
    { operation: "GetSpec", call: guest.get("/openapi.json"), expects: 200, statements: 0 },
    { operation: "GetSpec", when: "not changed", call: guest.get("/openapi.json", spec), expects: 304 },
    { operation: "GetDocs", call: guest.get("/docs"), expects: 200, statements: 0 },
    { operation: "GetDocs", when: "not changed", call: guest.get("/docs", docs), expects: 304 },
    { operation: "ProblemList", call: guest.get("/problems"), expects: 200, statements: 0 },
    { operation: "ProblemGet", call: guest.get("/problems/forbidden"), expects: 200, statements: 0 },
    { operation: "ProblemGet", when: "unknown", call: guest.get("/problems/nope"), expects: ProblemUnknown },
    { operation: "IconGet", call: guest.get("/info/icon/512x512"), expects: 200, statements: 1 },
    { operation: "IconGet", when: "not changed", call: guest.get("/info/icon/32x32", icon), expects: 304 },
    {
      operation: "IconGet",
      when: "of no such size",
      call: guest.get("/info/icon/64x64"),
      expects: InvalidRequest
    },
    { operation: "BannerGet", call: guest.get("/info/banner"), expects: 200, statements: 1 },
    { operation: "BannerGet", when: "not changed", call: guest.get("/info/banner", banner), expects: 304 },
    ...["icon", "banner"].flatMap((kind) => {
      const operation = kind === "icon" ? "IconUpload" : "BannerUpload"
      const path = `/info/${kind}`
      return [
        { operation, call: odin.post(path, image), expects: 200, statements: 8 },
        { operation, when: "again", call: odin.post(path, image), expects: 200, statements: 9 },
        { operation, when: "of text", call: odin.post(path, bytesOf("text")), expects: NotAnImage },
        { operation, when: "of a bomb", call: odin.post(path, png(60_000, 60_000)), expects: ImageTooLarge },
        { operation, when: "by a guest", call: guest.post(path, image), expects: Unauthenticated },
        { operation, when: "by a member", call: freya.post(path, image), expects: Forbidden }
      ]
    })
  ]
})
