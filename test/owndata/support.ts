/** What tests of own data have in common. */
import { buffer } from "node:stream/consumers"
import { Effect } from "effect"
import { fromBufferPromise } from "yauzl"
import { OwnDataMaking } from "../../src/domain/owndata/OwnDataMaking.ts"
import { ok } from "../support/answers.ts"
import { download } from "../support/files.ts"
import { drainEvents, type Person, password } from "../support/people.ts"

export const path = "/accounts/self/export"

export const archive = `${path}/archive`

/** Makes what is due. */
export const collect = Effect.flatMap(OwnDataMaking, ({ drain }) => drain)

/** The files of a zip, in its order. */
export const filesOfZip = (zip: Buffer) =>
  Effect.promise(async (): Promise<ReadonlyMap<string, Buffer>> => {
    const opened = await fromBufferPromise(zip)
    const files = new Map<string, Buffer>()
    for await (const entry of opened.eachEntry()) {
      files.set(entry.fileName, await buffer(await opened.openReadStreamPromise(entry)))
    }
    return files
  })

/** Asks for the own data of a person, and downloads it. */
export const ownDataOf = Effect.fnUntraced(function* (person: Person) {
  ok(yield* person.post(path, { password }))
  yield* collect
  yield* drainEvents
  return yield* filesOfZip((yield* download(`/api${archive}`, person.headers)).bytes)
})
