import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { decodeEntities } from './entities.ts'
import { Markdown } from './markdown.tsx'
import { safeLink } from './safe-link.ts'

const html = (text: string): string =>
  renderToStaticMarkup(createElement(Markdown, { text })).replace(/^<div class="markdown">|<\/div>$/g, '')

describe('Markdown', () => {
  it('becomes elements', () => {
    expect(html('# Title\n\nSome *soft* and **strong** `code` & <3.')).toBe(
      '<h3>Title</h3><p>Some <em>soft</em> and <strong>strong</strong> <code>code</code> &amp; &lt;3.</p>',
    )
    expect(html('2. two\n3. three\n   - deep')).toBe(
      '<ol start="2"><li>two</li><li>three<ul><li>deep</li></ul></li></ol>',
    )
    expect(html('| a |\n|---|\n| 1 |')).toContain('<tbody><tr><td>1</td></tr></tbody>')
    expect(html('```ts\nlet a = "<b>"\n```')).toContain('<code>let a = &quot;&lt;b&gt;&quot;</code>')
    expect(html('[a](https://a.example/?b=1&c=2)')).toContain('href="https://a.example/?b=1&amp;c=2"')
  })

  it('never becomes HTML that the text holds', () => {
    const evil = [
      '<script>x()</script>',
      'a <img src=x onerror=x()> b',
      '<svg/onload=x()>',
      '[a](javascript:x())',
      '[a](JaVaScRiPt:x())',
      '[a]( &#106;avascript:x())',
      '![a](data:text/html;base64,eA==)',
      '<javascript:x()>',
      '> <iframe src=x>',
      '- <b onclick=x()>y</b>',
      '| <i>x</i> |\n|-|\n| <u>y</u> |',
      '[a]: javascript:x()\n\n[a]',
    ]
    for (const text of evil) {
      expect(html(text), text).not.toMatch(
        /<(script|img|svg|iframe|b|i|u)\b|href="(?!https?:|mailto:)|="[^"]*javascript:/i,
      )
    }
  })

  it('reads characters that are written by name or number', () => {
    expect(decodeEntities('a &amp;&lt;&#65;&#x42;&bogus;&#0;&#x110000; &')).toBe('a &<AB&bogus;&#0;&#x110000; &')
    expect(safeLink('mailto:a@b.example')).toBe('mailto:a@b.example')
    for (const href of ['javascript:1', ' javascript:1', 'vbscript:1', 'file:///etc/passwd', '/v1/files', '//x']) {
      expect(safeLink(href), href).toBeUndefined()
    }
  })
})
