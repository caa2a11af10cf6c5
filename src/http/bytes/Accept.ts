/** Content negotiation: what a client prefers (RFC 9110, 12.4 and 12.5). */

/** The choices of a header such as `Accept`, each with its weight. */
const choicesOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header
      .toLowerCase()
      .split(",")
      .map((part) => {
        const [choice = "", ...parameters] = part.split(";").map((text) => text.trim())
        const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2)
        return [choice, weight === undefined ? 1 : Number(weight)] as const
      })
  )

const weightOf = (mediaType: string, choices: ReadonlyMap<string, number>): number =>
  choices.get(mediaType) ?? choices.get(`${mediaType.split("/", 1)[0]}/*`) ?? choices.get("*/*") ?? 0

/** Whether the client prefers HTML to JSON, as browsers do. Clients without a preference get JSON. */
export const prefersHtml = (accept: string | undefined): boolean => {
  const choices = choicesOf(accept ?? "*/*")
  return weightOf("text/html", choices) > weightOf("application/json", choices)
}

/**
 * The language that the client prefers, of those that there are (RFC 4647, 3.4): the first of the heaviest that it names.
 * A variant such as `de-AT` names its language. The first one is for who prefers none.
 */
export const preferredOf = <const Language extends string>(
  languages: readonly [Language, ...ReadonlyArray<Language>],
  acceptLanguage: string | undefined
): Language => {
  const choices = [...choicesOf(acceptLanguage ?? "")].map(([range, weight]) => ({
    language: languages.find((language) => language === range.split("-", 1)[0]),
    weight
  }))
  const [best] = choices
    .filter(({ language, weight }) => language !== undefined && weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
  return best?.language ?? languages[0]
}

export type Encoding = "br" | "gzip" | "identity"

const takes = (encoding: Encoding, choices: ReadonlyMap<string, number>): boolean =>
  (choices.get(encoding) ?? choices.get("*") ?? 0) > 0

/** The encoding that makes the smallest body, of those that the client accepts. */
export const encodingFor = (acceptEncoding: string | undefined): Encoding => {
  const choices = choicesOf(acceptEncoding ?? "")
  return takes("br", choices) ? "br" : takes("gzip", choices) ? "gzip" : "identity"
}

/** Whether the client takes a body that is compressed by gzip. */
export const acceptsGzip = (acceptEncoding: string | undefined): boolean =>
  takes("gzip", choicesOf(acceptEncoding ?? ""))
