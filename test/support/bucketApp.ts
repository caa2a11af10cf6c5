/** An app with its cast whose files are in a bucket. */
import { Context, Effect, Layer } from "effect"
import { AssetFiles } from "../../src/persistence/asset/AssetFiles.ts"
import { type FakeBucket, fakeBucket } from "./bucket.ts"
import * as People from "./people.ts"
import * as TestApp from "./TestApp.ts"

export class Fake extends Context.Service<Fake, FakeBucket>()("test/Fake") {}

const fake = Layer.effect(Fake, fakeBucket)

const files = Layer.effect(
  AssetFiles,
  Effect.gen(function* () {
    const { directory } = yield* AssetFiles
    return AssetFiles.of({ directory, bucket: (yield* Fake).settings })
  })
).pipe(Layer.provide([TestApp.files, fake]))

export const inBucket = People.withCast(TestApp.layerWhere({}, undefined, undefined, files)).pipe(
  Layer.provideMerge(fake)
)
