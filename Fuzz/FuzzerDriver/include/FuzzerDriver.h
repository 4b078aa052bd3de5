// The entry of libFuzzer for programs with a main function of their own, as SwiftPM's are.
#pragma once

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const unsigned char *data, unsigned long size));
