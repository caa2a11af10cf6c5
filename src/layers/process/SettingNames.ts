/** Variables of the environment that are no settings, but whose names are nearly those of settings. */
import { Effect, Layer } from "effect"
import { declaredSettings } from "./Setting.ts"
import { Settings } from "./Settings.ts"

/** Names that are shorter are near too many others. */
const shortest = 6

/** How many letters are added, left out, replaced or exchanged with the next between two names. */
const distance = (one: string, other: string): number => {
  let [beforeLast, last]: [ReadonlyArray<number>, ReadonlyArray<number>] = [
    [],
    Array.from({ length: other.length + 1 }, (_, n) => n)
  ]
  for (let a = 1; a <= one.length; a++) {
    const row = [a]
    for (let b = 1; b <= other.length; b++) {
      const isSame = one[a - 1] === other[b - 1]
      const isExchange = one[a - 1] === other[b - 2] && one[a - 2] === other[b - 1]
      row[b] = Math.min(
        (last[b] ?? 0) + 1,
        (row[b - 1] ?? 0) + 1,
        (last[b - 1] ?? 0) + (isSame ? 0 : 1),
        isExchange && a > 1 && b > 1 ? (beforeLast[b - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      )
    }
    beforeLast = last
    last = row
  }
  return last[other.length] ?? 0
}

/** The setting that a name is nearly, if it is none itself. */
export const nearSetting = (name: string, settings: Iterable<string>): string | undefined => {
  const known = [...settings]
  if (name.length < shortest || known.includes(name)) return undefined
  const most = name.length < 9 ? 1 : 2
  return known.find(
    (setting) =>
      Math.abs(setting.length - name.length) <= most && distance(name.toUpperCase(), setting) <= most
  )
}

/** Says which variables may be misspelled, without what they contain. */
export const warning = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Settings
    for (const name of Object.keys(process.env)) {
      const meant = nearSetting(name, declaredSettings.keys())
      if (meant !== undefined) yield* Effect.logWarning(`${name} is no setting. Is ${meant} meant?`)
    }
  })
)
