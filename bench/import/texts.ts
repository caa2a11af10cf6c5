/** Texts as people write them in forums: words by how often they are used, and as much markup as posts have. */
import { makeRandom } from "../../test/support/random.ts"

const syllables =
  "ka re lo mi tan de sor vel in ter ash per dal no ris em qua lin bo sta fer ul cor ne vi don ap gra sel mon".split(
    " "
  )

const wordsMax = 6000
// Other letters than those of ASCII, as every language but English has.
const foreign = ["über", "café", "naïve", "größer", "señor", "Łódź", "👍", "—", "“so”", "日本語"]

const sites = 2000

export type Texts = ReturnType<typeof makeTexts>

/** Texts that are the same for the same seed. */
export const makeTexts = (seed: number) => {
  const random = makeRandom(seed)
  const chance = (percent: number) => random(1000) < percent * 10
  const pick = <A>(list: ReadonlyArray<A>, fallback: A): A => list[random(list.length)] ?? fallback

  const words = Array.from({ length: wordsMax }, () =>
    Array.from({ length: 1 + random(4) }, () => pick(syllables, "a")).join("")
  )

  /** One word in a hundred is about the hundredth in the order of use, as in any language. */
  const word = () => words[Math.floor(wordsMax ** (random(100_000) / 100_000)) - 1] ?? "a"

  const several = (least: number, most: number, make: () => string, between = " ") =>
    Array.from({ length: least + random(most - least + 1) }, make).join(between)

  const inSentence = () => {
    if (chance(2)) return `<strong>${several(1, 3, word)}</strong>`
    if (chance(2)) return `<em>${word()}</em>`
    if (chance(1)) return `<code>${word()}(${word()})</code>`
    if (chance(1)) return pick(foreign, "é")
    return chance(1) ? `${word()} &amp; ${word()}` : word()
  }

  const sentence = () => {
    const text = several(5, 16, inSentence)
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}${pick([".", ".", ".", "?", "!"], ".")}`
  }

  const prose = () => several(1, 4, sentence)

  const link = () => {
    const path = `https://site-${random(sites)}.example/${word()}/${random(50)}`
    return `<a href="${path}" rel="nofollow">${several(1, 3, word)}</a>`
  }

  /** What a post has beside its paragraphs. `person` is the id of an account. */
  const extra = (person: () => string) => {
    if (chance(12)) return `<blockquote><p>${sentence()}</p></blockquote>`
    if (chance(7)) return `<p>${sentence()} ${link()} ${sentence()}</p>`
    if (chance(6))
      return `<p><a href="sdr:profile/${person()}" rel="nofollow">@${word()}</a> ${sentence()}</p>`
    if (chance(4)) return `<ul>${several(2, 5, () => `<li>${several(2, 8, word)}</li>`, "")}</ul>`
    if (chance(2)) return `<pre><code>${several(2, 6, () => `${word()} = ${word()};`, "\n")}</code></pre>`
    return ""
  }

  return {
    random,
    title: () => `${several(3, 9, word)}${chance(30) ? "?" : ""}`,
    name: () => several(1, 2, word),
    body: (person: () => string) =>
      `<body>${several(1, 2, () => `${extra(person)}<p>${prose()}</p>`, "")}</body>`
  } as const
}
