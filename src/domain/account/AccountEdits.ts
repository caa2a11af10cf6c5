/** What becomes of the changes of an account that somebody asks for: by its owner or by staff. */
import { Effect } from "effect"
import { InstanceSettings } from "../settings/InstanceSettings.ts"
import { type Reading, refuseComplex } from "../text/RichText.ts"
import { Sanitiser } from "../text/Sanitiser.ts"
import { type AccountChanges, ProfileTextTooLong, profileMarkupMax, SignatureTooLong } from "./Account.ts"
import type { ProfileChanges } from "./AccountStore.ts"
import { checkHandle, normaliseHandle } from "./Handle.ts"

const lengthOf = (text: string) => Array.from(text).length

/** The sanitised text of a field can be longer than what was sent. */
const checkMarkupLength = (field: keyof typeof profileMarkupMax, { document }: Reading) => {
  const [maximum, length] = [profileMarkupMax[field], lengthOf(document)]
  return length > maximum
    ? Effect.fail(new ProfileTextTooLong({ metadata: { field, maximum, length } }))
    : Effect.void
}

/** Fails if a signature has more characters of plain text than it may. */
const checkSignature = ({ analysis }: Reading, maximum: number) => {
  const length = lengthOf(analysis.plaintext)
  return length > maximum ? Effect.fail(new SignatureTooLong({ metadata: { maximum, length } })) : Effect.void
}

/** Reads the texts of changes, which is to be done before a transaction begins. */
export const makeAccountEdits = Effect.gen(function* () {
  const sanitiser = yield* Sanitiser
  const settings = yield* InstanceSettings

  const read = (field: keyof typeof profileMarkupMax, html: string) =>
    sanitiser.read(html).pipe(
      Effect.catchTag("TooComplex", refuseComplex),
      Effect.tap((reading) => checkMarkupLength(field, reading))
    )

  /** Fails if a handle breaks the rules, unless the account has it already: words can be reserved later. */
  const checkNewHandle = <E, R>(handle: string, current: Effect.Effect<string | undefined, E, R>) =>
    Effect.flatMap(settings.general, ({ reserved_handles }) => checkHandle(handle, reserved_handles)).pipe(
      Effect.catchTag("HandleInvalid", (problem) =>
        Effect.flatMap(current, (had) => (had === handle ? Effect.void : Effect.fail(problem)))
      )
    )

  /** The changes as they are written; `current` is the handle that the account has, if there is one already. */
  const decide = Effect.fnUntraced(function* <E, R>(
    input: AccountChanges,
    current: Effect.Effect<string | undefined, E, R>
  ) {
    const { bio, handle, signature, ...rest } = input
    const changes: { -readonly [K in keyof ProfileChanges]: ProfileChanges[K] } = { ...rest }
    if (handle !== undefined) {
      changes.handle = normaliseHandle(handle)
      yield* checkNewHandle(changes.handle, current)
    }
    if (bio !== undefined) changes.bio = (yield* read("bio", bio)).document
    if (signature !== undefined) {
      const reading = yield* read("signature", signature)
      yield* checkSignature(reading, (yield* settings.moderation).signature_length_max)
      changes.signature = reading.document
    }
    return changes
  })

  return { decide } as const
})
