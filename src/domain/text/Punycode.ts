/** Host names as people read them (RFC 3492). Browsers load this with the client, so that it uses nothing of Node. */

const parameters = { base: 36, skew: 38, damp: 700, tmin: 1, tmax: 26, bias: 72, first: 128 }

const digitOf = (character: string): number => {
  const digit = Number.parseInt(character, 36)
  // Letters come before digits here.
  return digit < 10 ? digit + 26 : digit - 10
}

const adapt = (delta: number, length: number, isFirst: boolean): number => {
  const { base, damp, skew, tmax, tmin } = parameters
  let rest = isFirst ? Math.floor(delta / damp) : Math.floor(delta / 2)
  rest += Math.floor(rest / length)
  let bias = 0
  for (; rest > ((base - tmin) * tmax) / 2; bias += base) rest = Math.floor(rest / (base - tmin))
  return bias + Math.floor(((base - tmin + 1) * rest) / (rest + skew))
}

/** The characters that a label without its `xn--` stands for; nothing if it is no Punycode. */
const decode = (label: string): string | undefined => {
  const { base, tmax, tmin } = parameters
  const end = label.lastIndexOf("-")
  const characters = Array.from(label.slice(0, Math.max(0, end)))
  let { bias, first: code } = parameters
  let place = 0
  for (let index = end + 1; index < label.length; ) {
    const before = place
    for (let weight = 1, step = base; ; step += base) {
      const digit = digitOf(label[index++] ?? "")
      if (Number.isNaN(digit)) return undefined
      place += digit * weight
      const threshold = Math.min(tmax, Math.max(tmin, step - bias))
      if (digit < threshold) break
      weight *= base - threshold
    }
    const length = characters.length + 1
    bias = adapt(place - before, length, before === 0)
    code += Math.floor(place / length)
    if (code > 0x10_ffff) return undefined
    characters.splice(place % length, 0, String.fromCodePoint(code))
    place = (place % length) + 1
  }
  return characters.join("")
}

/** A host name of an address, with letters of every script; a part that cannot be read stays as it is. */
export const readableHost = (host: string): string =>
  host
    .split(".")
    .map((label) => (label.startsWith("xn--") ? (decode(label.slice(4)) ?? label) : label))
    .join(".")
