// A field that holds what cannot be (a number too great, say) says so itself, as the browser puts it, and nothing is sent.

addEventListener(
  'change',
  (event) => {
    if (event.target instanceof HTMLInputElement && !event.target.reportValidity()) event.stopImmediatePropagation()
  },
  { capture: true },
)
