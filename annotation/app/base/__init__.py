"""The foundation that every part of the app uses: state, texts and components."""
