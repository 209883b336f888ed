"""Results kept between runs and edits, addressed by the content they rest on."""
