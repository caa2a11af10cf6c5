/** What the statements of the seed have in common. */

export const accounts = 100_000

/** Ids as the service could have made them: a letter for the kind, then a number. */
export const idOf = (kind: "a" | "c" | "n" | "t", n: number) => `${kind}${n.toString(16).padStart(18, "0")}0`

export const sqlId = (kind: string, n: string) => `'${kind}' || lpad(to_hex(${n}), 18, '0') || '0'`

export const paragraph = `'<p>' || repeat('The quick brown fox jumps over the lazy dog. ', 3 + (n % 7)::int) || n || '</p>'`
