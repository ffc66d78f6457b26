import type { TokenLogprob } from './turn.ts'

/** The classes of `playground.css`, from hardly likely to nearly sure. */
const bounds = [0.2, 0.4, 0.6, 0.8, 0.95]

const classOf = (logprob: number): string => {
  const chance = Math.exp(logprob)
  const level = bounds.findIndex((bound) => chance < bound)
  return `chance-${level < 0 ? bounds.length : level}`
}

const percent = (logprob: number): string => `${(Math.exp(logprob) * 100).toFixed(1)} %`

export const TokenColours = ({ tokens }: { tokens: TokenLogprob[] }) => (
  <>
    <p className="tokens">
      {tokens.map(({ token, logprob, top_logprobs }, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: tokens are only ever added at the end
          key={index}
          className={classOf(logprob)}
          title={[
            `${percent(logprob)}`,
            ...top_logprobs.map((other) => `${JSON.stringify(other.token)} ${percent(other.logprob)}`),
          ].join('\n')}
        >
          {token}
        </span>
      ))}
    </p>
    <p className="token-scale muted">
      unlikely{' '}
      {bounds.concat(1).map((_, level) => (
        <span key={bounds[level] ?? 1} className={`chance-${level}`}>
          &nbsp;
        </span>
      ))}{' '}
      sure
    </p>
  </>
)
