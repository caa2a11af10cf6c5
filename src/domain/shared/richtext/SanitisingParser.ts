/**
 * An HTML5 parser that sees only allowed markup.
 *
 * Tags are filtered between tokenizer and tree builder of parse5, so what is
 * read is read as browsers read it, and what is refused never takes part in the
 * tree. Nothing that browsers parse specially (raw text, SVG, MathML, templates)
 * is allowed, which leaves no room for output that means something else when
 * parsed again.
 */
import { type DefaultTreeAdapterMap, type html, Parser, type Token, TokenizerMode } from "parse5"
import { goesWithContents, isKept, keptAttributes, needsAttributes } from "./AllowList.ts"

type Element = DefaultTreeAdapterMap["element"]

/** Deeper elements lose their tag. */
const maxDepth = 100

/**
 * Characters of markup that error recovery may add. HTML reopens unclosed
 * formatting in every new block, with its attributes: without a bound, a
 * megabyte of input makes gigabytes of output.
 */
const maxRecovered = 100_000

/** Elements whose content is not markup; the tokenizer has to be told, as the tag never reaches the builder. */
const textModes = new Map([
  ["iframe", TokenizerMode.RAWTEXT],
  ["noembed", TokenizerMode.RAWTEXT],
  ["noframes", TokenizerMode.RAWTEXT],
  ["noscript", TokenizerMode.RAWTEXT],
  ["plaintext", TokenizerMode.PLAINTEXT],
  ["script", TokenizerMode.SCRIPT_DATA],
  ["style", TokenizerMode.RAWTEXT],
  ["textarea", TokenizerMode.RCDATA],
  ["title", TokenizerMode.RCDATA],
  ["xmp", TokenizerMode.RAWTEXT]
])

const sizeOf = (tagName: string, attributes: ReadonlyArray<Token.Attribute>): number => {
  let size = 2 * tagName.length + 5
  for (const { name, value } of attributes) size += name.length + value.length + 4
  return size
}

export class SanitisingParser extends Parser<DefaultTreeAdapterMap> {
  private discarded = ""
  private discardedDepth = 0
  private sourceAttributes: ReadonlyArray<Token.Attribute> | undefined
  private recoverable = maxRecovered
  private readonly preformatted: Array<Element> = []

  override onStartTag(token: Token.TagToken): void {
    const { tagName } = token
    const mode = textModes.get(tagName)
    if (mode !== undefined) this.tokenizer.state = mode
    if (this.discardedDepth > 0) {
      if (tagName === this.discarded) this.discardedDepth++
      return
    }
    if (goesWithContents(tagName)) {
      this.discarded = tagName
      this.discardedDepth = 1
      return
    }
    if (!isKept(tagName) || this.openElements.stackTop >= maxDepth) return
    token.attrs = keptAttributes(tagName, token.attrs)
    if (needsAttributes(tagName) && token.attrs.length === 0) return
    this.sourceAttributes = token.attrs
    super.onStartTag(token)
  }

  override onEndTag(token: Token.TagToken): void {
    if (this.discardedDepth > 0) {
      if (token.tagName === this.discarded) this.discardedDepth--
      return
    }
    if (isKept(token.tagName)) super.onEndTag(token)
  }

  override onCharacter(token: Token.CharacterToken): void {
    if (this.discardedDepth === 0) super.onCharacter(token)
  }

  override onWhitespaceCharacter(token: Token.CharacterToken): void {
    if (this.discardedDepth === 0) super.onWhitespaceCharacter(token)
  }

  override onNullCharacter(): void {}

  override onComment(): void {}

  override onDoctype(): void {}

  override _createElement(
    tagName: string,
    namespace: html.NS,
    attributes: Array<Token.Attribute>,
    parent: DefaultTreeAdapterMap["parentNode"]
  ): Element {
    const recovered = attributes !== this.sourceAttributes
    if (recovered) this.recoverable -= sizeOf(tagName, attributes)
    const affordable = !recovered || this.recoverable >= 0
    const element = super._createElement(tagName, namespace, affordable ? attributes : [], parent)
    if (tagName === "pre") this.preformatted.push(element)
    return element
  }

  override _reconstructActiveFormattingElements(): void {
    if (this.recoverable < 0 || this.openElements.stackTop >= maxDepth) {
      this.activeFormattingElements.clearToLastMarker()
    } else {
      super._reconstructActiveFormattingElements()
    }
  }

  override getFragment(): DefaultTreeAdapterMap["documentFragment"] {
    for (const element of this.preformatted) {
      const first = element.childNodes[0]
      // Parsers drop one line break after <pre>; one that belongs to the text has to be doubled.
      if (first?.nodeName === "#text" && "value" in first && first.value.startsWith("\n")) {
        first.value = `\n${first.value}`
      }
    }
    return super.getFragment()
  }
}
