// Keeps a scrolling element at its end as it grows, until somebody scrolls away from there.

const NEAR = 40

/** An attachment: `{@attach follow}`. */
export function follow(element: HTMLElement): () => void {
  let atEnd = true
  const note = () => (atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR)
  const grown = new MutationObserver(() => {
    if (atEnd) element.scrollTop = element.scrollHeight
  })
  element.scrollTop = element.scrollHeight
  element.addEventListener('scroll', note, { passive: true })
  grown.observe(element, { childList: true, subtree: true })
  return () => {
    element.removeEventListener('scroll', note)
    grown.disconnect()
  }
}
