import { Effect } from "effect"
import { AssetNotFound } from "../../src/domain/asset/Asset.ts"
import { RangeNotSatisfiable } from "../../src/http/asset/AssetsApi.ts"
import { InvalidRequest } from "../../src/http/contract/RequestProblems.ts"
import { bytesOf, png, upload } from "../support/files.ts"
import { Cast, guest, nobody } from "../support/people.ts"
import type { Scenarios } from "../support/scenarios.ts"

export const scenarios: Scenarios = Effect.gen(function* () {
  const { freya, odin } = yield* Cast
  const photo = yield* upload(odin, png(2, 1), { filename: "photo.png" })
  const path = `/assets/${photo.filename}`
  return [
    { operation: "AssetUpload", call: freya.post("/assets", png(1, 1)), expects: 200, statements: 4 },
    {
      operation: "AssetUpload",
      when: "derived from another",
      call: freya.post(`/assets?parent_asset_id=${photo.id}`, bytesOf("x")),
      expects: 200,
      statements: 5
    },
    {
      operation: "AssetUpload",
      when: "derived from nothing",
      call: freya.post(`/assets?parent_asset_id=${nobody}`, bytesOf("x")),
      expects: AssetNotFound
    },
    {
      operation: "AssetUpload",
      when: "derived from what is no id",
      call: freya.post("/assets?parent_asset_id=photo", bytesOf("x")),
      expects: InvalidRequest
    },
    { operation: "AssetGet", call: guest.get(path), expects: 200, statements: 1 },
    {
      operation: "AssetGet",
      when: "in part",
      call: guest.get(path, { headers: { range: "bytes=0-3" } }),
      expects: 206,
      statements: 1
    },
    {
      operation: "AssetGet",
      when: "not changed",
      call: guest.get(path, { headers: { "if-none-match": `"${photo.id}"` } }),
      expects: 304,
      statements: 1
    },
    {
      operation: "AssetGet",
      when: "after its end",
      call: guest.get(path, { headers: { range: "bytes=1000-" } }),
      expects: RangeNotSatisfiable
    },
    { operation: "AssetGet", when: "unknown", call: guest.get("/assets/nope"), expects: AssetNotFound },
    {
      operation: "AssetGet",
      when: "of no such width",
      call: guest.get(`${path}?width=7`),
      expects: InvalidRequest
    }
  ]
})
