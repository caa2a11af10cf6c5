/** How one setting is read from the environment: as a text, a number, an address, a list or a secret, or refused in a line. */
import { Config, Effect, Option, Redacted, Schema } from "effect"

/** A setting that cannot be used. The message is one line that begins with the name of the variable. */
export class SettingInvalid extends Schema.TaggedError<SettingInvalid>()("SettingInvalid", {
  message: Schema.String
}) {}

/** Turns the text of a variable into a value; `undefined` refuses it. */
export type Parse<A> = (text: string) => A | undefined

export const refuse = (name: string, expected: string, text = "") => {
  // An address may contain a password.
  const found = text === "" || text.includes("@") ? "" : `, not ${JSON.stringify(text)}`
  return new SettingInvalid({ message: `${name}: expected ${expected}${found}` })
}

/** What a variable takes. */
export interface DeclaredSetting {
  readonly form: string
  /** Whether its value must not be shown. */
  readonly isSecret: boolean
  /** Whether it takes several values, separated by commas or spaces. */
  readonly isList: boolean
}

/** All variables that have been asked for, by their names. */
export const declaredSettings = new Map<string, DeclaredSetting>()

/** The text of a variable without the spaces around it; a variable that is empty counts as absent. */
export const textOf = (name: string, form = "text", more: Partial<DeclaredSetting> = {}) =>
  Effect.suspend(() => {
    declaredSettings.set(name, { isSecret: false, isList: false, ...more, form })
    return Effect.mapBoth(Config.option(Config.String(name)), {
      onFailure: () => refuse(name, "text"),
      onSuccess: (text) => Option.getOrElse(text, () => "").trim()
    })
  })

export const setting = Effect.fnUntraced(function* <A>(name: string, expected: string, parse: Parse<A>) {
  const text = yield* textOf(name, expected)
  return text === "" ? undefined : (parse(text) ?? (yield* refuse(name, expected, text)))
})

/** Reads a setting whose value must not appear in a message. */
export const secretBy = Effect.fnUntraced(function* <A>(name: string, expected: string, parse: Parse<A>) {
  const text = yield* textOf(name, expected, { isSecret: true })
  if (text === "") return undefined
  const value = parse(text)
  return value === undefined ? yield* refuse(name, expected) : Redacted.make(value)
})

/** Reads values between which stands what `between` matches. */
const valuesOf = Effect.fnUntraced(function* <A>(
  name: string,
  expected: string,
  parse: Parse<A>,
  between: RegExp,
  isSecret: boolean
) {
  const text = yield* textOf(name, expected, { isSecret, isList: true })
  const entries = text.split(between).filter((entry) => entry !== "")
  return yield* Effect.forEach(entries, (entry) => {
    const value = parse(entry)
    return value === undefined
      ? Effect.fail(refuse(name, expected, isSecret ? "" : entry))
      : Effect.succeed(value)
  })
})

/** Values separated by spaces that must not appear in a message. */
export const secretsBy = <A>(name: string, expected: string, parse: Parse<A>) =>
  Effect.map(valuesOf(name, expected, parse, /\s+/, true), (values) =>
    values.map((value) => Redacted.make(value))
  )

export const secret = (name: string, expected: string, form: RegExp) =>
  secretBy(name, expected, (text) => (form.test(text) ? text : undefined))

/** Values separated by commas, spaces or both. */
export const list = <A>(name: string, expected: string, parse: Parse<A>) =>
  valuesOf(name, expected, parse, /[\s,]+/, false)

export const integer = (name: string, minimum: number, maximum: number) =>
  setting(name, `a whole number from ${minimum} to ${maximum}`, (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
    return number >= minimum && number <= maximum ? number : undefined
  })

export const toWebAddress: Parse<URL> = (text) => {
  const url = URL.parse(text)
  const isPlain = url !== null && !/[?#]/.test(text) && `${url.username}${url.password}` === ""
  return isPlain && /^https?:$/.test(url.protocol) ? url : undefined
}

export const webAddress = (name: string) =>
  setting(name, "an http or https address without user, query and fragment", toWebAddress)
