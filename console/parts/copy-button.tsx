import { useToast } from './toast.tsx'

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const say = useToast()
  const copy = async () => {
    try {
      // Browsers have it for encrypted and local pages only.
      await navigator.clipboard.writeText(text)
      say('Copied.')
    } catch {
      say('This browser lets no page at this address write to the clipboard. Mark the text and copy it.', 'bad')
    }
  }
  return (
    <button type="button" className="quiet small" onClick={copy}>
      {label}
    </button>
  )
}
