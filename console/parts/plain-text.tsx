import type { Ref } from 'react'

interface Props {
  /** What it is, for those who cannot see it. */
  label: string
  text: string
  className?: string
  frame?: Ref<HTMLElement>
  onScroll?: (frame: HTMLElement) => void
}

/** Text as it came, from whomever, in a frame that scrolls: nothing in it is taken for anything but letters. */
export const PlainText = ({ label, text, className = 'plain-text', frame, onScroll }: Props) => (
  <section
    ref={frame}
    className={className}
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard
    tabIndex={0}
    onScroll={(event) => onScroll?.(event.currentTarget)}
  >
    <pre>{text}</pre>
  </section>
)
