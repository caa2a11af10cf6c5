/** Parts of JSON that are put together as text. */
import type { ProfileReference } from "../../domain/account/Profile.ts"

/** The text of an object without its closing brace. */
export const unclosed = (value: object): string => JSON.stringify(value).slice(0, -1)

/** The JSON texts of people, kept by profile object, as many posts and nodes show the same object. */
const peopleTexts = new WeakMap<ProfileReference, string>()

export const textOfPerson = (person: ProfileReference): string => {
  const known = peopleTexts.get(person)
  if (known !== undefined) return known
  const text = JSON.stringify(person)
  peopleTexts.set(person, text)
  return text
}
