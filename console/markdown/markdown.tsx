// Markdown as React elements. Nothing here makes HTML of a text: what a model writes as HTML is shown as it stands,
// links lead only to the web, and pictures are links.
import type { Token, Tokens } from 'marked'
import { Fragment, memo, type ReactNode, useMemo, useRef } from 'react'
import { CodeBlock } from '../parts/code-block.tsx'
import { decodeEntities } from './entities.ts'
import { type Blocks, blocksOf, grownBlocks } from './growing-blocks.ts'
import { safeLink } from './safe-link.ts'

interface Props {
  text: string
  /** While more of it is to come: finished blocks are not read again. */
  isGrowing?: boolean
}

export function Markdown({ text, isGrowing = false }: Props) {
  const known = useRef<Blocks>(undefined)
  const { tokens } = useMemo(() => {
    known.current = isGrowing ? grownBlocks(known.current, text) : blocksOf(text)
    return known.current
  }, [text, isGrowing])
  const blocks = tokens.filter(({ type }) => type !== 'space' && type !== 'def')
  return (
    <div className="markdown">
      {blocks.map((token, index) => (
        // Blocks are only ever added at the end while an answer streams.
        // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
        <Block key={index} raw={token.raw} token={token} />
      ))}
    </div>
  )
}

/** Most blocks stay as they are with every piece that arrives. */
const Block = memo(
  ({ token }: { raw: string; token: Token }) => renderBlock(token),
  (before, after) => before.raw === after.raw,
)

function renderBlock(token: Token): ReactNode {
  switch (token.type) {
    case 'heading':
      return <Heading token={token as Tokens.Heading} />
    case 'paragraph':
      return <p>{inline((token as Tokens.Paragraph).tokens)}</p>
    case 'code':
      return <CodeBlock code={(token as Tokens.Code).text} language={(token as Tokens.Code).lang ?? ''} />
    case 'blockquote':
      return <blockquote>{innerBlocks((token as Tokens.Blockquote).tokens)}</blockquote>
    case 'list':
      return <List token={token as Tokens.List} />
    case 'table':
      return <Table token={token as Tokens.Table} />
    case 'hr':
      return <hr />
    case 'space':
      return null
    default:
      return 'tokens' in token && token.tokens ? inline(token.tokens) : <p>{decodeEntities(token.raw)}</p>
  }
}

const innerBlocks = (tokens: Token[]): ReactNode =>
  tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
    <Fragment key={index}>{renderBlock(token)}</Fragment>
  ))

/** One page has one first heading, and it is not the model's. */
function Heading({ token: { depth, tokens } }: { token: Tokens.Heading }) {
  if (depth <= 2) return <h3>{inline(tokens)}</h3>
  return depth === 3 ? <h4>{inline(tokens)}</h4> : <h5>{inline(tokens)}</h5>
}

function List({ token: { ordered, start, items } }: { token: Tokens.List }) {
  const entries = items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
    <li key={index}>
      {item.task && <input type="checkbox" checked={item.checked ?? false} readOnly aria-label="Done" />}
      {innerBlocks(item.tokens)}
    </li>
  ))
  return ordered ? <ol start={start === '' ? 1 : start}>{entries}</ol> : <ul>{entries}</ul>
}

function Table({ token: { header, rows } }: { token: Tokens.Table }) {
  const cells = (row: Tokens.TableCell[], Cell: 'td' | 'th') =>
    row.map((cell, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
      <Cell key={index}>{inline(cell.tokens)}</Cell>
    ))
  return (
    <div className="table-frame">
      <table>
        <thead>
          <tr>{cells(header, 'th')}</tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
            <tr key={index}>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const inline = (tokens: Token[]): ReactNode =>
  tokens.map((token, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
    <Fragment key={index}>{renderInline(token)}</Fragment>
  ))

function renderInline(token: Token): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline((token as Tokens.Strong).tokens)}</strong>
    case 'em':
      return <em>{inline((token as Tokens.Em).tokens)}</em>
    case 'del':
      return <del>{inline((token as Tokens.Del).tokens)}</del>
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>
    case 'br':
      return <br />
    case 'link':
      return <SafeLink href={(token as Tokens.Link).href}>{inline((token as Tokens.Link).tokens)}</SafeLink>
    case 'image':
      return <SafeLink href={(token as Tokens.Image).href}>{(token as Tokens.Image).text || 'picture'}</SafeLink>
    case 'escape':
      return (token as Tokens.Escape).text
    case 'text':
      return 'tokens' in token && token.tokens ? inline(token.tokens) : decodeEntities((token as Tokens.Text).text)
    default:
      return token.raw // HTML above all
  }
}

function SafeLink({ href, children }: { href: string; children: ReactNode }) {
  const address = safeLink(href)
  if (address === undefined) return <>{children}</>
  return (
    <a href={address} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  )
}
